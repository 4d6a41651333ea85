"""Soak test: clients use the console while faults are injected; then all data is compared."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import buckets
from tests.journeys.console import VARIABLES
from tests.kill.posting import Poster
from tests.kill.reading import shown_calls, wait_until_settled
from tests.kill.victims import Victim
from tests.soak.company import Counting, Reading, Streams
from tests.soak.faults import Faults, small_disk
from tests.soak.jobs import Jobs
from tests.soak.ledger import Ledger, lines_of
from tests.soak.load import Soaked
from tests.soak.memory import Memory
from tests.soak.old import DAYS, Old, old_project
from tests.stored import stored_by

KEY = VARIABLES["EDICTUM_SITE_BOOTSTRAP_KEY"]
CLIENTS, COUNTERS = 3, 2
TO_HEAR = 180.0  # seconds for every stream to receive a deployment, including reconnects
BATCH = 50  # items per post


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of a soak. It lasts `seconds`, or longer until each fault has been injected."""

    seconds: float
    items_per_s: float
    every: float  # seconds between two faults
    streams: int = 200
    old_calls: int = 2_000
    megabytes: int = 600
    seed: int = 1


def soak(folder: Path, variables: Mapping[str, str], plan: Plan, server: Path | None) -> Ledger:
    """Run a soak on the configured database; `server` is PostgreSQL's folder, for restarts."""
    ledger, began = Ledger(), time.monotonic()
    with small_disk(folder / "data", plan.megabytes) as is_small, buckets.Line() as line:
        bucket = buckets.KEYS | {"EDICTUM_SITE_ARTIFACTS": buckets.a_bucket(line.url)}
        used = {**variables, **VARIABLES, **bucket}
        old = old_project(folder / "data", used, plan.old_calls)
        victim = Victim(folder / "data", used)
        try:
            faults = Faults(victim, store=line, server=server, is_small=is_small, seed=plan.seed)
            if old is None:
                faults.left_out.append("retention: no C compiler for a wrong clock")
            calls = Soak(victim, plan, old).run(faults, ledger)
        finally:
            victim.stop()
        _compare_stored(stored_by(victim.data, used), calls, ledger)
    ledger.seconds = time.monotonic() - began
    return ledger


@dataclass(slots=True)
class Party:
    """All clients of the console."""

    poster: Poster
    jobs: Jobs
    counters: list[Counting]
    reader: Reading
    streams: Streams
    memory: Memory
    members: list[Any] = field(default_factory=list)

    def start(self) -> None:
        self.members = [*self.counters, self.reader, self.jobs, self.streams, self.memory]
        for member in self.members:
            member.start()
        self.poster.start(CLIENTS)

    def stop(self) -> None:
        for member in reversed(self.members):
            member.stop()


class Soak:
    def __init__(self, victim: Victim, plan: Plan, old: Old | None) -> None:
        self._plan, self._victim, self._old = plan, victim, old
        self._soaked = Soaked()
        where = victim.address
        self._party = Party(
            Poster(self._soaked.posts(), where, KEY),
            Jobs(where, KEY, old.key if old else ""),
            [Counting(where, KEY, plan.seed + each) for each in range(COUNTERS)],
            Reading(where, KEY, plan.seed),
            Streams(where, KEY, plan.streams),
            Memory(victim),
        )

    def run(self, faults: Faults, ledger: Ledger) -> int:
        """Run all phases and return the number of acknowledged calls."""
        jobs = self._party.jobs
        jobs.save_check(1)
        jobs.bind_check()
        jobs.deploy(1)
        if self._old:
            jobs.keep_calls(self._old.key, DAYS)
        self._party.start()
        try:
            self._finish(self._disturb(faults), ledger)
        finally:
            self._party.stop()
        ledger.lines = lines_of(self._party, faults, self._old.calls if self._old else 0)
        ledger.problems += self._wrong()
        return len(self._party.poster.acknowledged.calls)

    def _disturb(self, faults: Faults) -> int:
        """Post at the planned rate and inject faults; return the number of posts released."""
        began = time.monotonic()
        next_fault, names, is_second = began + self._plan.every / 2, faults.some(), False
        posts = 0
        while (now := time.monotonic()) < began + self._plan.seconds or not faults.are_all_made:
            posts = int((now - began) * self._plan.items_per_s / BATCH) + 1
            self._party.poster.let(posts)
            if not is_second and now > began + self._plan.seconds / 2:
                self._party.jobs.save_check(2)
                is_second = True
            if now >= next_fault:
                faults.make(next(names))
                next_fault = time.monotonic() + self._plan.every
            self._party.poster.refuse_failure()
            time.sleep(0.1)
        return posts

    def _finish(self, posts: int, ledger: Ledger) -> None:
        """After the last fault, settle and reclassify all calls, and update all streams."""
        self._party.poster.wait_for(posts)
        posts = self._soaked.ends[-1]
        self._party.poster.let(posts)
        self._party.poster.wait_for(posts)
        jobs, streams = self._party.jobs, self._party.streams
        jobs.stop()
        wait_until_settled(self._victim.address(), KEY)
        jobs.reclassify_all()
        if self._old:
            jobs.remove_old(self._old.key)
        jobs.deploy(2)
        if not streams.all_have(2, TO_HEAR):
            late = sum(version < 2 for version in streams.version)
            ledger.problems.append(f"{late} streams did not hear of the deployment")

    def _wrong(self) -> Iterator[str]:
        party, address = self._party, self._victim.address()
        acknowledged = party.poster.acknowledged.calls
        calls = shown_calls(address, KEY)
        shown = {each["call_id"]: each for each in calls}
        counted = Counter(each["call_id"] for each in calls)
        yield from (f"{call} is shown twice" for call, times in counted.items() if times > 1)
        yield from (f"{call} was acknowledged and is lost" for call in acknowledged - shown.keys())
        yield from (f"{call} was never acknowledged" for call in shown.keys() - acknowledged)
        for call in acknowledged & shown.keys():
            has, right = (shown[call]["type"], shown[call]["verdict"]), self._soaked.right(call)
            if has != right:
                yield f"{call} is {has}, should be {right}"
        yield from self._wrong_contents(shown)
        yield from party.counters[0].wrong(party.counters[1:])
        yield from self._old.wrong(address) if self._old else ()
        members = (*party.counters, party.reader, party.jobs)
        yield from (repr(member.failed) for member in members if member.failed)
        yield from party.jobs.wrong
        yield from party.memory.growing()

    def _wrong_contents(self, shown: Mapping[str, Any]) -> Iterator[str]:
        for call, content in self._soaked.contents():
            if call in shown:
                name = shown[call]["artifact_id"]
                status, body = self._party.jobs.ask("GET", f"artifacts/{name}")
                if (status, body) != (200, content):
                    yield f"the artifact of {call} is not what was sent: {status}"


def _compare_stored(stored: dict[str, Any], calls: int, ledger: Ledger) -> None:
    ledger.lines["stored"] = {name: stored[name] for name in ("events", "calls", "sessions")}
    if stored["calls"] != calls:
        ledger.problems.append(f"{stored['calls']} calls are stored, {calls} were acknowledged")
    for name in ("waiting", "rejected"):
        if stored[name]:
            ledger.problems.append(f"{stored[name]} {name}")
    ledger.problems += stored["differences"]

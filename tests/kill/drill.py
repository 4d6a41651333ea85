"""Kill drill: post, kill processes at seeded moments, restart them, and compare every item."""

import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kill.load import Load, load_of
from tests.kill.posting import Acknowledged, Poster
from tests.kill.reading import get, shown_calls, wait_until_settled
from tests.kill.victims import ALL, Victim
from tests.stored import stored_by

KEY = "edk_production_" + "k1lL" * 10
CLIENTS = 3
LATEST = 0.3  # maximum seconds from a post to a kill, so that it can hit accepting or settling


@dataclass(frozen=True, slots=True)
class Report:
    kills: dict[str, int]
    acknowledged: Acknowledged
    seconds: float
    stored: dict[str, Any]
    problems: list[str]


def drill(data: Path, variables: Mapping[str, str], *, items: int, kills: int, seed: int) -> Report:
    """Run a drill that kills each process `kills` times while `items` are posted."""
    load, began = load_of(items), time.monotonic()
    victim = Victim(data, {**variables, "EDICTUM_SITE_BOOTSTRAP_KEY": KEY})
    try:
        poster = Poster(load.posts, victim.address, KEY)
        killed = _post_and_kill(victim, poster, len(load.posts), kills, random.Random(seed))  # noqa: S311 - repeatable on purpose
        acknowledged = poster.acknowledged
        problems = list(_wrong_over_http(victim, load, acknowledged))
    finally:
        victim.stop()
    stored = stored_by(data, variables)
    problems += _wrong_in_store(load, stored)
    return Report(killed, acknowledged, time.monotonic() - began, stored, problems)


def post_and_settle(victim: Victim, load: Load, key: str) -> None:
    """Post the load and wait until all of it is acknowledged and settled."""
    poster = Poster(load.posts, victim.address, key)
    poster.start(CLIENTS)
    poster.let(len(load.posts))
    poster.wait_for(len(load.posts))
    poster.refuse_failure()
    wait_until_settled(victim.address(), key)


def _post_and_kill(
    victim: Victim, poster: Poster, posts: int, kills: int, chance: random.Random
) -> dict[str, int]:
    order = list(ALL) * kills
    chance.shuffle(order)
    poster.start(CLIENTS)
    for number, name in enumerate(order):
        first, last = posts * number // len(order), posts * (number + 1) // len(order)
        # Release posts up to the end of the next stretch, so that there is always work.
        poster.let(min(posts, last + (last - first)))
        poster.wait_for(chance.randint(first, last))
        time.sleep(chance.uniform(0, LATEST))
        victim.kill(name)
        poster.refuse_failure()
    poster.let(posts)
    poster.wait_for(posts)
    return dict(Counter(order))


def _wrong_over_http(victim: Victim, load: Load, acknowledged: Acknowledged) -> Any:
    if acknowledged.calls != load.kinds.keys():
        yield "not every call was acknowledged"
    wait_until_settled(victim.address(), KEY)
    calls = shown_calls(victim.address(), KEY)
    counted = {each["call_id"]: each for each in calls}
    if len(calls) != len(counted):
        yield f"{len(calls) - len(counted)} calls were shown twice"
    yield from (
        f"{call} was acknowledged and is lost" for call in acknowledged.calls - counted.keys()
    )
    yield from (f"{call} was never acknowledged" for call in counted.keys() - acknowledged.calls)
    for call, answer in counted.items():
        should = load.kinds.get(call), load.verdicts.get(call)
        if (answer["type"], answer["verdict"]) != should:
            yield f"{call} is {answer['type']}, {answer['verdict']}; should be {should}"
    sessions = get(victim.address(), "agent-sessions?limit=1000", KEY)["sessions"]
    attempts = {each["session_id"]: each["counts"]["attempts"] for each in sessions}
    if attempts != dict(load.attempts):
        yield f"sessions count {attempts}, should count {dict(load.attempts)}"


def _wrong_in_store(load: Load, stored: dict[str, Any]) -> list[str]:
    should = {
        "waiting": 0,
        "rejected": 0,
        "events": load.events,
        "calls": len(load.kinds),
        "sessions": len(load.attempts),
    }
    wrong = [
        f"{name}: {stored[name]}, should be {right}"
        for name, right in should.items()
        if stored[name] != right
    ]
    return wrong + list(stored["differences"])

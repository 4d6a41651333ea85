"""One drill: post, kill at seeded moments, start again, and compare everything one by one."""

import http.client
import json
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kill.load import Load, load_of
from tests.kill.posting import Acknowledged, Broken, Poster
from tests.kill.victims import ALL, Victim
from tests.stored import stored_by

KEY = "edk_production_" + "k1lL" * 10
CLIENTS = 3
LATEST = 0.3  # seconds after a post at which a kill may come: in the middle of accept or settle
TO_SETTLE = 300.0


@dataclass(frozen=True, slots=True)
class Report:
    kills: dict[str, int]
    acknowledged: Acknowledged
    seconds: float
    stored: dict[str, Any]
    problems: list[str]


def drill(data: Path, variables: Mapping[str, str], *, items: int, kills: int, seed: int) -> Report:
    """`kills` of each process, spread over the posting of so many items."""
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
    """All of it, acknowledged and settled."""
    poster = Poster(load.posts, victim.address, key)
    poster.start(CLIENTS)
    poster.let(len(load.posts))
    poster.wait_for(len(load.posts))
    poster.refuse_failure()
    _wait_until_settled(victim, key)


def _post_and_kill(
    victim: Victim, poster: Poster, posts: int, kills: int, chance: random.Random
) -> dict[str, int]:
    order = list(ALL) * kills
    chance.shuffle(order)
    poster.start(CLIENTS)
    for number, name in enumerate(order):
        first, last = posts * number // len(order), posts * (number + 1) // len(order)
        # Letting them go on to the end of the next stretch, so that there is work at any moment.
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
    _wait_until_settled(victim)
    counted: dict[str, dict[str, Any]] = {}
    cursor, shown = "", 0
    while cursor is not None:
        page = _get(victim, f"outcomes?limit=1000&cursor={cursor}")
        shown += len(page["outcomes"])
        counted |= {each["call_id"]: each for each in page["outcomes"]}
        cursor = page["next"]
    if shown != len(counted):
        yield f"{shown - len(counted)} calls were shown twice"
    yield from (
        f"{call} was acknowledged and is lost" for call in acknowledged.calls - counted.keys()
    )
    yield from (f"{call} was never acknowledged" for call in counted.keys() - acknowledged.calls)
    for call, answer in counted.items():
        should = load.kinds.get(call), load.verdicts.get(call)
        if (answer["type"], answer["verdict"]) != should:
            yield f"{call} is {answer['type']}, {answer['verdict']}; should be {should}"
    sessions = _get(victim, "agent-sessions?limit=1000")["sessions"]
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


def _wait_until_settled(victim: Victim, key: str = KEY) -> None:
    until = time.monotonic() + TO_SETTLE
    while not _get(victim, "outcomes?limit=1&wait=20", key)["settled"]:
        if time.monotonic() > until:
            raise Broken("what was acknowledged is not settled")


def _get(victim: Victim, path: str, key: str = KEY) -> dict[str, Any]:
    connection = http.client.HTTPConnection(*victim.address(), timeout=60)
    try:
        connection.request("GET", f"/v1/{path}", headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        words = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise Broken(f"{path}: {answer.status}: {words[:500]!r}")
    body: dict[str, Any] = json.loads(words)
    return body

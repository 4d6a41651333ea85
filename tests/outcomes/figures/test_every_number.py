"""What pages tell of any traffic is what GET stats and a plain recount of the calls give."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import sqrt
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given

from governance.core.wilson import Z_95
from outcomes.models import Call
from tests.examples import with_a_database
from tests.outcomes.pages import Pages, tile
from tests.outcomes.traffic import (
    KEYS,
    Filled,
    counted,
    filled,
    grouped,
    judged,
    only,
    shown_rate,
    took,
    traffic,
)
from tests.recount import differences


def check_stats(found: Filled) -> None:
    asked = {
        "since": found.scope["from"],
        "until": found.scope["to"],
        "env": found.scope["environment"],
        "agent": found.scope["agent"],
    }
    for name, key in KEYS.items():
        rows = {row["key"]: row for row in found.reader.get("stats", by=name, **asked)["rows"]}
        right = grouped(found.calls, key)
        assert rows.keys() == right.keys(), name
        for each, calls in right.items():
            check_row(rows[each], calls)
            check_took(rows[each], [] if name == "reason" else calls)


def check_row(row: dict[str, Any], calls: list[Call]) -> None:
    columns = ("calls", "successes", "failures", "unknown", "denied")
    assert only(row, *columns) == only(counted(calls), *columns)
    successes, of = judged(calls)
    assert row["rate"] == (successes / of if of else None)
    for bound, side in (("lower", -1), ("upper", 1)):
        right = wilson_bound(successes, of, side) if of else None
        assert row[bound] == (right if right is None else pytest.approx(right, abs=1e-9))


def wilson_bound(successes: int, of: int, side: int) -> float:
    """As textbooks have it."""
    rate, square = successes / of, Z_95 * Z_95
    spread = Z_95 * sqrt(rate * (1 - rate) / of + square / (4 * of * of))
    return (rate + square / (2 * of) + side * spread) / (1 + square / of)


def check_took(row: dict[str, Any], calls: list[Call]) -> None:
    """To the width of a bucket."""
    for percent in (50, 95, 99):
        right = took(calls, percent)
        assert row[f"p{percent}_ms"] == (right and pytest.approx(right, rel=0.0101)), percent


def check_overview(found: Filled) -> None:
    body = found.pages.get("overview/", **found.scope).content.decode()
    now, was = counted(found.calls), counted(found.before)
    (_, of), (_, of_before) = judged(found.calls), judged(found.before)
    assert tile(body, "rate").startswith(f"Success rate {shown_rate(found.calls)}")
    assert tile(body, "denied").startswith(
        f"Denied {now['denied']} of {now['calls']} was {was['denied']} of {was['calls']}"
    )
    assert tile(body, "disagreements").startswith(
        f"Disagreements {now['disagreements']} of {of} was {was['disagreements']} of {of_before}"
    )


def check_tools(found: Filled) -> None:
    rows = {row["tool_name"]: row for row in found.file("tools/")}
    now, was = grouped(found.calls, KEYS["tool"]), grouped(found.before, KEYS["tool"])
    assert rows.keys() == now.keys()
    for name, calls in now.items():
        right, then = counted(calls), was.get(name, [])
        assert only(rows[name], *right) == right
        check_row(rows[name], calls)
        check_took(rows[name], calls)
        before = {key.removesuffix("_before"): each for key, each in rows[name].items()
                  if key.endswith("_before")}  # fmt: skip
        of_before = counted(then)
        assert only(before, "calls", "denied", "disagreements") == only(
            of_before, "calls", "denied", "disagreements"
        )
        check_took(before, then)
    bounds = [row["upper"] if row["upper"] is not None else 2 for row in rows.values()]
    assert bounds == sorted(bounds)  # the worst first


def check_denials(found: Filled) -> None:
    def alike(calls: Iterable[Call]) -> Counter[tuple[str, str, str]]:
        denied = (call for call in calls if call.kind == "denied")
        return Counter((call.reason, call.tool.name, call.agent.name) for call in denied)

    now, was = alike(found.calls), alike(found.before)
    told = {
        (row["reason"], row["tool_name"], row["agent_id"]): (row["denied"], row["denied_before"])
        for row in found.file("denials/")
    }
    assert told == {group: (number, was[group]) for group, number in now.items()}


def check_sessions(found: Filled) -> None:
    """Those whose last call was in this time, each with all of its calls."""
    pages, scope = found.pages, found.scope
    of_sessions: dict[Any, list[Call]] = defaultdict(list)
    for call in found.rows:
        of, place = call.session, call.environment.name
        # A session is one agent's, whoever else calls in it.
        is_of_agent = of and of.agent and scope["agent"] in ("", of.agent.name)
        if of and is_of_agent and scope["environment"] in ("", place):
            of_sessions[place, of.session_id].append(call)
    since, until = found.times
    right = {
        key: counted(calls)
        for key, calls in of_sessions.items()
        if since <= max(call.at for call in calls) < until
    }
    rows = found.file("sessions/")
    assert {(row["environment"], row["session_id"]) for row in rows} == set(right)
    for row in rows:
        counts = right[row["environment"], row["session_id"]]
        assert only(row | {"calls": row["attempts"]}, *counts) == counts
    (all_of_them, *_) = re.findall(r">All ([\d,]+)<", pages.get("sessions/", **scope).text)
    assert all_of_them == str(len(right))
    body = pages.get("overview/", **scope).text
    stopped = sum(row["stopped"] is not None for row in rows)
    assert tile(body, "stopped").startswith(f"Stopped by a limit {stopped} of {len(right)} session")


def check_session(pages: Pages, calls: list[Call]) -> None:
    right = counted(calls)
    ran = right["calls"] - right["denied"] - right["open"]
    session, place = calls[0].session, calls[0].environment.name
    assert session is not None
    body = pages.get(f"sessions/{session.session_id}/", environment=place).content.decode()
    opened = f", {right['open']} open" if right["open"] else ""
    assert tile(body, "calls").startswith(
        f"Calls {right['calls']} {ran} ran, {right['denied']} denied{opened}"
    )
    assert tile(body, "failures").startswith(f"Failures {right['failures']} of {ran}")


@with_a_database(12)
@given(traffic())
def test_every_number_is_what_a_plain_recount_gives(db, drawn):
    with transaction.atomic():
        found = filled(drawn)
        assert differences() == []
        for check in (check_stats, check_overview, check_tools, check_denials, check_sessions):
            check(found)
        of_sessions = [call for call in found.rows if call.session]
        if of_sessions:
            first = of_sessions[0].session_id
            check_session(found.pages, [call for call in of_sessions if call.session_id == first])
        transaction.set_rollback(True)

"""Figures on pages equal GET stats and a recount, for any traffic."""

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
    outputs_sent,
    shown_rate,
    took,
    traffic,
)
from tests.recount import differences


def check_stats(site: Filled) -> None:
    query = {
        "since": site.scope["from"],
        "until": site.scope["to"],
        "env": site.scope["environment"],
        "agent": site.scope["agent"],
    }
    for name, key in KEYS.items():
        rows = {row["key"]: row for row in site.reader.get("stats", by=name, **query)["rows"]}
        right = grouped(site.calls, key)
        assert rows.keys() == right.keys(), name
        for key_value, calls in right.items():
            check_row(rows[key_value], calls)
            check_took(rows[key_value], [] if name == "reason" else calls)


def check_row(row: dict[str, Any], calls: list[Call]) -> None:
    columns = ("calls", "successes", "failures", "unknown", "denied")
    assert only(row, *columns) == only(counted(calls), *columns)
    successes, of = judged(calls)
    assert row["rate"] == (successes / of if of else None)
    for bound, side in (("lower", -1), ("upper", 1)):
        right = wilson_bound(successes, of, side) if of else None
        assert row[bound] == (right if right is None else pytest.approx(right, abs=1e-9))


def wilson_bound(successes: int, of: int, side: int) -> float:
    """Wilson bound by the textbook formula."""
    rate, square = successes / of, Z_95 * Z_95
    spread = Z_95 * sqrt(rate * (1 - rate) / of + square / (4 * of * of))
    return (rate + square / (2 * of) + side * spread) / (1 + square / of)


def check_took(row: dict[str, Any], calls: list[Call]) -> None:
    """Check percentiles to the width of a bucket."""
    for percent in (50, 95, 99):
        right = took(calls, percent)
        assert row[f"p{percent}_ms"] == (right and pytest.approx(right, rel=0.0101)), percent


def check_overview(site: Filled) -> None:
    body = site.pages.get("overview/", **site.scope).content.decode()
    now, was = counted(site.calls), counted(site.before)
    (_, of), (_, of_before) = judged(site.calls), judged(site.before)
    assert shown_rate(site.calls) in tile(body, "rate")
    assert outputs_sent(site.calls) in tile(body, "rate")
    assert tile(body, "denied").startswith(
        f"Denied {now['denied']} of {now['calls']} vs {was['denied']} of {was['calls']}"
    )
    assert tile(body, "disagreements").startswith(
        f"Disagreements {now['disagreements']} of {of} vs {was['disagreements']} of {of_before}"
    )


def check_tools(site: Filled) -> None:
    rows = {row["tool_name"]: row for row in site.file("tools/")}
    now, was = grouped(site.calls, KEYS["tool"]), grouped(site.before, KEYS["tool"])
    assert rows.keys() == now.keys()
    for name, calls in now.items():
        right, then = counted(calls), was.get(name, [])
        assert only(rows[name], *right) == right
        check_row(rows[name], calls)
        check_took(rows[name], calls)
        before = {key.removesuffix("_before"): value for key, value in rows[name].items()
                  if key.endswith("_before")}  # fmt: skip
        of_before = counted(then)
        assert only(before, "calls", "denied", "disagreements") == only(
            of_before, "calls", "denied", "disagreements"
        )
        check_took(before, then)
    bounds = [row["upper"] if row["upper"] is not None else 2 for row in rows.values()]
    assert bounds == sorted(bounds)  # the worst first


def check_denials(site: Filled) -> None:
    def grouped_denials(calls: Iterable[Call]) -> Counter[tuple[str, str, str]]:
        denied = (call for call in calls if call.kind == "denied")
        return Counter((call.reason, call.tool.name, call.agent.name) for call in denied)

    now, was = grouped_denials(site.calls), grouped_denials(site.before)
    counts = {
        (row["reason"], row["tool_name"], row["agent_id"]): (row["denied"], row["denied_before"])
        for row in site.file("denials/")
    }
    assert counts == {group: (number, was[group]) for group, number in now.items()}


def check_sessions(site: Filled) -> None:
    """Check the sessions whose last call is in the period, each with all of its calls."""
    pages, scope = site.pages, site.scope
    by_session: dict[Any, list[Call]] = defaultdict(list)
    for call in site.rows:
        session, place = call.session, call.environment.name
        # A session belongs to one agent, even if others call in it.
        is_of_agent = session and session.agent and scope["agent"] in ("", session.agent.name)
        if session and is_of_agent and scope["environment"] in ("", place):
            by_session[place, session.session_id].append(call)
    since, until = site.times
    right = {
        key: counted(calls)
        for key, calls in by_session.items()
        if since <= max(call.at for call in calls) < until
    }
    rows = site.file("sessions/")
    assert {(row["environment"], row["session_id"]) for row in rows} == set(right)
    for row in rows:
        counts = right[row["environment"], row["session_id"]]
        assert only(row | {"calls": row["attempts"]}, *counts) == counts
    (all_of_them, *_) = re.findall(r">\s*All ([\d,]+)\s*<", pages.get("sessions/", **scope).text)
    assert all_of_them == str(len(right))
    body = pages.get("overview/", **scope).text
    stopped = sum(row["stopped"] is not None for row in rows)
    assert tile(body, "stopped").startswith(f"Hit a limit {stopped} of {len(right)} session")


def check_session(pages: Pages, calls: list[Call]) -> None:
    right = counted(calls)
    ran = right["calls"] - right["denied"] - right["open"]
    session, place = calls[0].session, calls[0].environment.name
    assert session is not None
    body = pages.get(f"sessions/{session.session_id}/", environment=place).content.decode()
    if right["calls"] == 1:
        assert "tile-" not in body  # a page of one call has no such figures
        return
    opened = f", {right['open']} open" if right["open"] else ""
    assert tile(body, "calls").startswith(
        f"Calls {right['calls']} {ran} ran, {right['denied']} denied{opened}"
    )
    assert tile(body, "failures").startswith(f"Failures {right['failures']} of {ran}")


@pytest.mark.slow
@with_a_database(12)
@given(traffic())
def test_every_figure_matches_a_recount(db, drawn):
    with transaction.atomic():
        site = filled(drawn)
        assert differences() == []
        for check in (check_stats, check_overview, check_tools, check_denials, check_sessions):
            check(site)
        with_session = [call for call in site.rows if call.session]
        if with_session:
            first = with_session[0].session_id
            check_session(site.pages, [call for call in with_session if call.session_id == first])
        transaction.set_rollback(True)

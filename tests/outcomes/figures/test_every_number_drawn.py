"""What charts, filters and the pages of one tool and one agent tell is what a plain recount gives,
step by step of the reader's own clock."""

import html
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import transaction
from hypothesis import given

from governance.delivery import news
from outcomes.models import Call
from tests.examples import with_a_database
from tests.outcomes.pages import text_of, tile
from tests.outcomes.traffic import (
    KEYS,
    LENGTHS,
    ZONES,
    Filled,
    by,
    counted,
    filled,
    grouped,
    judged,
    only,
    ran_and_failed,
    shown_rate,
    traffic,
)

MINUTES = {"minute": 1, "quarter of an hour": 15, "hour": 60, "day": 24 * 60}
# Clocks are moved by an hour at most, and in the middle of a step only by half of one.
LONGEST = {
    step: timedelta(minutes=minutes + {"hour": 30, "day": 60}.get(step, 0))
    for step, minutes in MINUTES.items()
}
HAS = {
    "Denials": "denied",
    "Disagreements": "disagreements",
    "Artifacts": "artifacts",
    "Waste": "waste",
}


@pytest.fixture(autouse=True)
def _nobody_connected(monkeypatch):
    monkeypatch.setattr(news, "connected", lambda _: [])


def kind_drawn(call: Call) -> str:
    """As the chart of outcomes tells them apart; open ones are not drawn."""
    if call.kind in ("execution_result", "artifact_reference") and call.verdict == "failure":
        return "Ran, verdict failure"
    names = {"execution_result": "Executed", "artifact_reference": "Artifact"}
    return names.get(call.kind, call.kind.capitalize())


def check_chart(
    found: Filled,
    body: str,
    calls: list[Call],
    name: str = "Outcomes",
    drawn_as: Callable[[Call], str] = kind_drawn,
) -> None:
    """Its steps are the time of the page, cut where the reader's clock says so; each leads to the
    very minutes that it counts."""
    tables = re.findall(rf">{name} per ([^<]*)</caption>(.*?)</table>", body, re.S)
    if not tables:
        assert not any(drawn_as(call) for call in calls)  # nothing but open ones: nothing is drawn
        return
    ((step, table),) = tables
    names = [html.unescape(each) for each in re.findall(r"<th[^>]*>([^<]+)</th>", table)][1:]
    assert {drawn_as(call) for call in calls} - {""} <= set(names)
    edges = [found.times[0]]
    for address, begun, cells in re.findall(
        r'<a href="([^"]*)"[^>]*><time datetime="([^"]*)">[^<]*</time></a></th>(.*?)</tr>', table
    ):
        asked = parse_qs(urlsplit(html.unescape(address)).query)
        since, until = (datetime.fromisoformat(asked[name][0]) for name in ("from", "to"))
        assert datetime.fromisoformat(begun) == since == edges[-1]
        edges.append(until)
        inside = [drawn_as(call) for call in calls if since <= call.at < until]
        told = [int(each.replace(",", "")) for each in re.findall(r"<td[^>]*>([\d,]+)</td>", cells)]
        assert told == [inside.count(name) for name in names], address
    assert edges[-1] == found.times[1]
    for edge in edges[1:-1]:
        local = edge.astimezone(found.zone)
        assert (60 * local.hour + local.minute) % MINUTES[step] == 0, (edge, step)
    assert all(until - since <= LONGEST[step] for since, until in pairwise(edges))


def check_tiles(body: str, calls: Sequence[Call], before: Sequence[Call]) -> None:
    now, was = counted(calls), counted(before)
    ran, ran_before = (each["calls"] - each["denied"] - each["open"] for each in (now, was))
    assert tile(body, "rate").startswith(f"Success rate {shown_rate(calls)}")
    if judged(calls)[1] and judged(before)[1]:
        assert f"was {shown_rate(before)}" in tile(body, "rate")
    unknown = f" {now['unknown']} unknown" if now["unknown"] else ""
    assert tile(body, "calls").startswith(f"Calls {now['calls']}{unknown} was {was['calls']}")
    assert tile(body, "failed").startswith(
        f"Ran, verdict failure {ran_and_failed(calls)} of {ran} "
        f"was {ran_and_failed(before)} of {ran_before}; {now['disagreements']} disagreement"
    )
    assert tile(body, "denied").startswith(
        f"Denied {now['denied']} of {now['calls']} was {was['denied']} of {was['calls']}"
    )


def check_denied(found: Filled) -> None:
    body = found.pages.get("denials/", **found.scope).content.decode()
    check_chart(found, body, found.calls, "Denied", lambda call: call.reason)


def check_tool(found: Filled) -> None:
    was = grouped(found.before, KEYS["tool"])
    for name, calls in grouped(found.calls, KEYS["tool"]).items():
        body = found.pages.get(f"tools/{name}/", **found.scope).content.decode()
        check_tiles(body, calls, was.get(name, []))
        check_chart(found, body, calls)


def check_agents(found: Filled) -> None:
    """An agent in each of its environments: of all agents, whichever the scope names."""
    key = lambda call: (call.environment.name, call.agent.name)  # noqa: E731
    place = found.scope["environment"]
    rows = [call for call in found.rows if place in ("", call.environment.name)]
    now, was = (grouped(those, key) for those in (found.within(rows), found.just_before(rows)))
    told = {(row["environment"], row["agent_id"]): row for row in found.file("agents/")}
    assert told.keys() >= now.keys()
    for each, row in told.items():
        calls, before = now.get(each, []), was.get(each, [])
        assert only(row, "calls", "denied", "successes") == only(
            counted(calls), "calls", "denied", "successes"
        )
        assert row["judged"] == judged(calls)[1]
        assert row["calls_before"] == len(before)
        assert row["denied_before"] == counted(before)["denied"]
        successes, of = judged(before)
        assert row["rate_before"] == (successes / of if of else None)


def check_one_agent(found: Filled) -> None:
    place = found.scope["environment"]
    rows = [call for call in found.rows if place in ("", call.environment.name)]
    for name, of_agent in grouped(rows, KEYS["agent"]).items():
        calls, before = found.within(of_agent), found.just_before(of_agent)
        page = found.pages.get("live/agent-activity/", of=name, **found.scope)
        body = page.content.decode()
        if not calls and not before:
            assert "No call in this time" in body
            continue
        check_tiles(body, calls, before)
        check_chart(found, body, calls)
        for tool, those in grouped(calls, KEYS["tool"]).items():
            (row,) = re.findall(rf'<tr data-row="tool-{tool}">(.*?)</tr>', body, re.S)
            words = " ".join(re.sub(r"<[^>]*>", " ", row).split())
            assert words.startswith(f"{tool} {len(those)} "), words


def check_facets(found: Filled) -> None:
    """As many as the list has, none of which is narrowed by it."""
    body = found.pages.get("sessions/", **found.scope | {"agent": "", "environment": ""}).text
    rows = found.file("sessions/", agent="", environment="")
    told: dict[str, dict[str, int]] = {}
    for title, part in re.findall(r"<section>\s*<h2>([^<]*)</h2>(.*?)</section>", body, re.S):
        values = re.findall(r"<span>([^<]*)</span><span>([\d,]+)</span>", part)
        told[title] = {html.unescape(words): int(number) for words, number in values}
    for title, column in (("Agent", "agent_id"), ("Environment", "environment")):
        names = [row[column] for row in rows]
        right = {name: names.count(name) for name in names}
        if title in told or column == "agent_id":
            assert told.get(title, {}) == right
    marks = {words: sum(bool(row[column]) for row in rows) for words, column in HAS.items()}
    assert told.get("Has", {}) == {words: number for words, number in marks.items() if number}
    stopped = sum(row["stopped"] is not None for row in rows)
    states = {"Stopped by a limit": stopped, "Ended": len(rows) - stopped}
    assert told.get("State", {}) == {words: number for words, number in states.items() if number}


def check_disagreements(found: Filled) -> None:
    """Of all agents."""
    place = found.scope["environment"]
    calls = found.within(call for call in found.rows if place in ("", call.environment.name))
    now, of = counted(calls), judged(calls)[1]
    text = text_of(found.pages.get("checks/disagreements/", **found.scope))
    words = f"differ about {now['disagreements']} of" if now["disagreements"] else "agree about all"
    assert (f"{words} {of} call" if of else "No call with a verdict") in text
    told: dict[Any, int] = {}
    for row in found.file("checks/disagreements/"):
        each = row["agent_id"], row["tool_name"]
        told[each] = told.get(each, 0) + row["agent_said_success"] + row["agent_said_failure"]
    right = by(calls, lambda call: (call.agent.name, call.tool.name))
    assert told == {
        each: counts["disagreements"] for each, counts in right.items() if counts["disagreements"]
    }


CHECKS = (
    check_denied,
    check_tool,
    check_agents,
    check_one_agent,
    check_facets,
    check_disagreements,
)


@pytest.mark.parametrize("zone", ZONES)
@with_a_database(4)
@given(traffic(lengths=LENGTHS[-3:]) | traffic())
def test_every_number_that_is_drawn_or_chosen_from_is_what_a_plain_recount_gives(db, zone, drawn):
    with transaction.atomic():
        found = filled(drawn | {"zone": zone})
        body = found.pages.get("overview/", **found.scope).content.decode()
        check_chart(found, body, found.calls)
        for check in CHECKS:
            check(found)
        transaction.set_rollback(True)

"""Charts, filters and the pages of one tool and one agent equal a recount for every step of the
reader's clock."""

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
    outputs_sent,
    ran_and_failed,
    shown_rate,
    traffic,
)

MINUTES = {"minute": 1, "quarter of an hour": 15, "hour": 60, "day": 24 * 60}
# Clocks change by at most an hour, and within a step only by half an hour.
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
    """Kind of a call in the outcomes chart, which does not draw open calls."""
    if call.kind in ("execution_result", "artifact_reference") and call.verdict == "failure":
        return "Ran, verdict failure"
    names = {"execution_result": "Executed", "artifact_reference": "Artifact"}
    return names.get(call.kind, call.kind.capitalize())


def check_chart(
    site: Filled,
    body: str,
    calls: list[Call],
    name: str = "Outcomes",
    drawn_as: Callable[[Call], str] = kind_drawn,
) -> None:
    """Check that its steps cover the period by the reader's clock and link to the minutes they
    count."""
    tables = re.findall(rf">{name} per ([^<]*)</caption>(.*?)</table>", body, re.S)
    if not tables:
        assert not any(drawn_as(call) for call in calls)  # only open calls, so no chart is drawn
        return
    ((step, table),) = tables
    names = [html.unescape(side) for side in re.findall(r"<th[^>]*>([^<]+)</th>", table)][1:]
    assert {drawn_as(call) for call in calls} - {""} <= set(names)
    edges = [site.times[0]]
    for address, begun, cells in re.findall(
        r'<a href="([^"]*)"[^>]*><time datetime="([^"]*)">[^<]*</time></a></th>(.*?)</tr>', table
    ):
        query = parse_qs(urlsplit(html.unescape(address)).query)
        since, until = (datetime.fromisoformat(query[name][0]) for name in ("from", "to"))
        assert datetime.fromisoformat(begun) == since == edges[-1]
        edges.append(until)
        inside = [drawn_as(call) for call in calls if since <= call.at < until]
        shown = [
            int(side.replace(",", "")) for side in re.findall(r"<td[^>]*>([\d,]+)</td>", cells)
        ]
        assert shown == [inside.count(name) for name in names], address
    assert edges[-1] == site.times[1]
    for edge in edges[1:-1]:
        local = edge.astimezone(site.zone)
        assert (60 * local.hour + local.minute) % MINUTES[step] == 0, (edge, step)
    assert all(until - since <= LONGEST[step] for since, until in pairwise(edges))


def check_tiles(body: str, calls: Sequence[Call], before: Sequence[Call]) -> None:
    now, was = counted(calls), counted(before)
    ran, ran_before = (side["calls"] - side["denied"] - side["open"] for side in (now, was))
    assert shown_rate(calls) in tile(body, "rate")
    assert outputs_sent(calls) in tile(body, "rate")
    if tile(body, "rate").startswith("Success rate") and judged(calls)[1] and judged(before)[1]:
        assert f"vs {shown_rate(before)}" in tile(body, "rate")
    unknown = f" {now['unknown']} unknown" if now["unknown"] else ""
    assert tile(body, "calls").startswith(f"Calls {now['calls']}{unknown} vs {was['calls']}")
    assert tile(body, "failed").startswith(
        f"Ran, but failed {ran_and_failed(calls)} of {ran} that ran "
        f"vs {ran_and_failed(before)} of {ran_before} {now['disagreements']} disagreement"
    )
    assert tile(body, "denied").startswith(
        f"Denied {now['denied']} of {now['calls']} vs {was['denied']} of {was['calls']}"
    )


def check_denied(site: Filled) -> None:
    body = site.pages.get("denials/", **site.scope).content.decode()
    check_chart(site, body, site.calls, "Denied", lambda call: call.reason)


def check_tool(site: Filled) -> None:
    was = grouped(site.before, KEYS["tool"])
    for name, calls in grouped(site.calls, KEYS["tool"]).items():
        body = site.pages.get(f"tools/{name}/", **site.scope).content.decode()
        check_tiles(body, calls, was.get(name, []))
        check_chart(site, body, calls)


def check_agents(site: Filled) -> None:
    """Check the row of each agent and environment. The list ignores the agent of the scope."""
    key = lambda call: (call.environment.name, call.agent.name)  # noqa: E731
    place = site.scope["environment"]
    rows = [call for call in site.rows if place in ("", call.environment.name)]
    now, was = (grouped(those, key) for those in (site.within(rows), site.just_before(rows)))
    rows_by_key = {(row["environment"], row["agent_id"]): row for row in site.file("agents/")}
    assert rows_by_key.keys() >= now.keys()
    for agent_key, row in rows_by_key.items():
        calls, before = now.get(agent_key, []), was.get(agent_key, [])
        assert only(row, "calls", "denied", "successes") == only(
            counted(calls), "calls", "denied", "successes"
        )
        assert row["judged"] == judged(calls)[1]
        assert row["calls_before"] == len(before)
        assert row["denied_before"] == counted(before)["denied"]
        successes, of = judged(before)
        assert row["rate_before"] == (successes / of if of else None)


def check_one_agent(site: Filled) -> None:
    place = site.scope["environment"]
    rows = [call for call in site.rows if place in ("", call.environment.name)]
    for name, agent_calls in grouped(rows, KEYS["agent"]).items():
        calls, before = site.within(agent_calls), site.just_before(agent_calls)
        page = site.pages.get("live/agent-activity/", of=name, **site.scope)
        body = page.content.decode()
        if not calls and not before:
            assert "No calls in this range" in body
            continue
        check_tiles(body, calls, before)
        check_chart(site, body, calls)
        for tool, those in grouped(calls, KEYS["tool"]).items():
            (row,) = re.findall(rf'<tr data-row="tool-{tool}">(.*?)</tr>', body, re.S)
            words = " ".join(re.sub(r"<[^>]*>", " ", row).split())
            assert words.startswith(f"{tool} {len(those)} "), words


def check_facets(site: Filled) -> None:
    """Check that each filter value counts the sessions that the unfiltered list has with it."""
    body = site.pages.get("sessions/", **site.scope | {"agent": "", "environment": ""}).text
    rows = site.file("sessions/", agent="", environment="")
    facets: dict[str, dict[str, int]] = {}
    for title, part in re.findall(r"<section>\s*<h2>([^<]*)</h2>(.*?)</section>", body, re.S):
        values = re.findall(r"<span>([^<]*)</span><span>([\d,]+)</span>", part)
        facets[title] = {html.unescape(words): int(number) for words, number in values}
    for title, column in (("Agent", "agent_id"), ("Environment", "environment")):
        names = [row[column] for row in rows]
        right = {name: names.count(name) for name in names}
        if title in facets or column == "agent_id":
            assert facets.get(title, {}) == right
    marks = {words: sum(bool(row[column]) for row in rows) for words, column in HAS.items()}
    assert facets.get("Has", {}) == {words: number for words, number in marks.items() if number}
    stopped = sum(row["stopped"] is not None for row in rows)
    states = body[body.index('id="session-states"') : body.index('id="narrow"')]
    words = " ".join(re.sub(r"<[^>]*>", " ", states).split())
    assert f"All {len(rows):,} Running 0" in words
    assert f"Hit limit {stopped:,} Ended {len(rows) - stopped:,}" in words


def check_disagreements(site: Filled) -> None:
    """Check disagreements, which always cover all agents."""
    place = site.scope["environment"]
    calls = site.within(call for call in site.rows if place in ("", call.environment.name))
    now, of = counted(calls), judged(calls)[1]
    text = text_of(site.pages.get("checks/disagreements/", **site.scope))
    words = f"disagree on {now['disagreements']} of" if now["disagreements"] else "agree on all"
    assert (f"{words} {of} call" if of else "No verdicts") in text
    counts_by_pair: dict[Any, int] = {}
    for row in site.file("checks/disagreements/"):
        pair = row["agent_id"], row["tool_name"]
        counts_by_pair[pair] = (
            counts_by_pair.get(pair, 0) + row["agent_said_success"] + row["agent_said_failure"]
        )
    right = by(calls, lambda call: (call.agent.name, call.tool.name))
    assert counts_by_pair == {
        pair: counts["disagreements"] for pair, counts in right.items() if counts["disagreements"]
    }


CHECKS = (
    check_denied,
    check_tool,
    check_agents,
    check_one_agent,
    check_facets,
    check_disagreements,
)


@pytest.mark.slow
@pytest.mark.parametrize("zone", ZONES)
@with_a_database(4)
@given(traffic(lengths=LENGTHS[-3:]) | traffic())
def test_every_figure_in_charts_and_filters_matches_a_recount(db, zone, drawn):
    with transaction.atomic():
        site = filled(drawn | {"zone": zone})
        body = site.pages.get("overview/", **site.scope).content.decode()
        check_chart(site, body, site.calls)
        for check in CHECKS:
            check(site)
        transaction.set_rollback(True)

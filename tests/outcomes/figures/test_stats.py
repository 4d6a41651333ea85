"""Figures over any selection of calls, compared with a recount."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.domain import Binding
from governance.core.wilson import wilson
from outcomes.core.durations import bucket_of
from outcomes.core.moments import Step
from outcomes.figures.commands import rolling_up
from outcomes.figures.commands.rolling_up import roll_up, roll_up_now_and_then
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries import stats
from outcomes.figures.queries.stats import (
    By,
    figures,
    figures_by,
    figures_by_over_time,
    figures_over_time,
)
from outcomes.models import Call, RollupChange
from outcomes.stored import names
from outcomes.stored.queries import CallFilter
from tests import builders
from tests.examples import with_a_database
from tests.items import an_outcome
from tests.outcomes.backtests import EDITOR
from tests.outcomes.posting import Agent
from tests.outcomes.rejudging import CHECK, reclassified
from tests.recount import differences

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
DAYS = timedelta(days=3)
SILENT = {"ok": False}
ZONES = [ZoneInfo(name) for name in ("UTC", "America/New_York", "Asia/Kathmandu")]

TOOLS, AGENTS, ENVIRONMENTS = ("http_get", "sql"), ("billing-bot", "ops"), ("production", "test")
moments = st.integers(0, int(DAYS.total_seconds() * 10)).map(
    lambda tenths: NOON - timedelta(seconds=tenths / 10)
)
results = st.sampled_from(
    [
        {"output": 1, "tool_success": True},
        {"tool_success": True},
        {"tool_success": False},
        {},
        {"output": "Error: x", "tool_success": True},
        {"output": {"is_error": True}, "tool_success": False},
        {"output": SILENT, "tool_success": True},
        {"type": "failure", "error": "broken"},
        {"type": "denied", "reason": "limit"},
        {"type": "denied", "reason": "contract"},
        {"type": "timeout"},
    ]
)


@st.composite
def posted(draw):
    return draw(results) | {
        "tool_name": draw(st.sampled_from(TOOLS)),
        "agent_id": draw(st.sampled_from(AGENTS)),
        "elapsed_ms": draw(st.sampled_from([None, 0, 0.4, 3, 3.05, 41, 30_000])),
        "session_id": draw(st.sampled_from(["s-1", "s-2", None])),
        "timestamp": draw(moments).isoformat(),
    }


call_filters = st.builds(
    CallFilter,
    environment=st.sampled_from(["", *ENVIRONMENTS]),
    agent=st.sampled_from(["", *AGENTS, "nobody"]),
    tool=st.sampled_from(["", *TOOLS]),
    type=st.sampled_from(["", "", "denied"]),
    since=st.none() | moments,
    until=st.none() | moments,
)


def is_matching(call, filters):
    return (
        filters.environment in ("", call.environment.name)
        and filters.agent in ("", call.agent.name)
        and filters.tool in ("", call.tool.name)
        and filters.type in ("", call.kind)
        and (filters.since is None or call.at >= filters.since)
        and (filters.until is None or call.at < filters.until)
    )


def recounted(calls):
    value = Figures()
    for call in calls:
        became = call.kind, call.verdict, call.reason
        unchecked = call.verdict != "" and call.classified == ""
        value.add(became, 1, int(call.disagreement), unchecked=unchecked)
        if call.elapsed_ms is not None:
            value.durations[bucket_of(call.elapsed_ms)] += 1
    return value


def grouped(calls, key):
    by_key: dict[Any, list[Call]] = {}
    for call in calls:
        by_key.setdefault(key(call), []).append(call)
    by_key.pop(None, None)
    return {name: recounted(group) for name, group in by_key.items()}


KEYS: dict[By, Any] = {
    "tool": lambda call: call.tool.name,
    "agent": lambda call: call.agent.name,
    "environment": lambda call: call.environment.name,
    "session": lambda call: call.session and call.session.session_id,
    "reason": lambda call: call.reason if call.kind == "denied" else None,
    "hour": lambda call: call.at.replace(minute=0, second=0, microsecond=0),
}


def bind_all_to_another_check(project):
    save_check(project, document=CHECK, by=EDITOR)
    bind(project, [Binding("*", "*", "*", "unified")], by=EDITOR)


@pytest.mark.slow
@with_a_database(15)
@given(
    sent=st.lists(st.tuples(st.sampled_from(ENVIRONMENTS), posted()), min_size=1, max_size=20),
    filters=call_filters,
    step=st.sampled_from([Step.QUARTER, Step.HOUR, Step.DAY]),
    zone=st.sampled_from(ZONES),
    rolled_up=st.sets(st.sampled_from([*ENVIRONMENTS, "both"])),
    reclassify=st.booleans(),
)
def test_figures_match_a_recount(db, sent, filters, step, zone, rolled_up, reclassify):
    with transaction.atomic():
        names.forget()
        project = builders.a_project()
        for environment in ENVIRONMENTS:
            key, _ = builders.a_key(project, "agent", env=environment)
            Agent(builders.bearing(key)).post(
                *[
                    builders.an_outcome(f"call-{number}", **fields)
                    for number, (place, fields) in enumerate(sent)
                    if place == environment
                ]
            )
            if environment in rolled_up:
                roll_up()
        if reclassify:
            bind_all_to_another_check(project)
            reclassified(project)
        if "both" in rolled_up:
            roll_up()
        rows = Call.objects.select_related("environment", "agent", "tool", "session")
        calls = [call for call in rows if is_matching(call, filters)]
        assert figures(project.pk, filters, durations=True) == recounted(calls)
        for by, key_of in KEYS.items():
            assert figures_by(project.pk, by, filters, durations=True) == grouped(calls, key_of), by
        if filters.since and filters.until:
            over_time = figures_over_time(project.pk, filters, step, zone, durations=True)
            for step_figures in over_time:
                inside = [
                    call for call in calls if step_figures.start <= call.at < step_figures.end
                ]
                assert step_figures.figures == recounted(inside)
            assert sum(step_figures.figures.calls for step_figures in over_time) == len(calls)
            of_tools = figures_by_over_time(project.pk, "tool", filters, step, zone)
            assert Counter(
                {
                    tool: sum(step_figures.figures.calls for step_figures in series)
                    for tool, series in of_tools.items()
                }
            ) == Counter(call.tool.name for call in calls)
        transaction.set_rollback(True)


def test_the_rate_is_of_classified_calls_and_excludes_denials():
    total = Figures()
    for became, calls in {
        ("execution_result", "success", ""): 3,
        ("timeout", "failure", ""): 1,
        ("execution_result", "unknown", ""): 5,
        ("denied", "", "limit"): 7,
        ("", "", ""): 2,
    }.items():
        total.add(became, calls)
    assert (total.calls, total.ran, total.judged, total.open) == (18, 9, 4, 2)
    assert (total.rate, total.bounds) == (0.75, wilson(3, 4))
    assert (total.unknown, total.denied) == (5, 7)
    assert {
        reason: reason_figures.denied for reason, reason_figures in total.by_reason.items()
    } == {"limit": 7}


def test_groups_without_a_verdict_have_no_rate_and_are_last():
    few, many, unjudged = Figures(), Figures(), Figures()
    for group, calls in ((few, 1), (many, 100)):
        group.add(("failure", "failure", ""), calls)
    unjudged.add(("denied", "", "limit"), 1_000)
    assert unjudged.rate is None
    assert unjudged.bounds is None
    ranked = sorted([unjudged, few, many], key=lambda group: group.worst_first())
    assert ranked == [many, few, unjudged]


def tool_calls(*outcomes):
    at = (NOON - timedelta(days=40)).isoformat()
    return [builders.an_outcome(tool_name="crm", timestamp=at, **outcome) for outcome in outcomes]


def test_the_stats_api_lists_the_most_called_first(agent):
    agent.post(
        *tool_calls(
            {"output": 1, "elapsed_ms": 100, "session_id": "s"},
            {"output": "Error: x", "elapsed_ms": 0},
            {"type": "denied", "reason": "limit"},
            {"type": "denied", "reason": "limit"},
        ),
        builders.an_outcome(tool_name="sql", output=1),
    )
    answer = agent.get("stats", by="tool", wait=1)
    lower, upper = wilson(1, 2)
    hundred = pytest.approx(100, rel=0.011)
    assert (answer["by"], answer["settled"]) == ("tool", True)
    assert answer["rows"][0] == {
        "key": "crm", "calls": 4, "successes": 1, "failures": 1, "unknown": 0, "denied": 2,
        "rate": 0.5, "lower": lower, "upper": upper,
        "p50_ms": 0, "p95_ms": hundred, "p99_ms": hundred,
    }  # fmt: skip
    assert [row["key"] for row in answer["rows"]] == ["crm", "sql"]
    (denied,) = agent.get("stats", by="reason", tool="crm")["rows"]
    assert (denied["key"], denied["calls"], denied["rate"], denied["p50_ms"]) == (
        "limit", 2, None, None,
    )  # fmt: skip
    (session,) = agent.get("stats", by="session", verdict="success")["rows"]
    assert (session["key"], session["p99_ms"]) == ("s", hundred)
    first, _ = agent.get("stats", by="hour")["rows"]
    assert (first["key"], first["calls"]) == ("2026-10-09T12:00:00Z", 4)


def test_stats_by_session_count_the_newest_calls_and_state_since_when(agent, monkeypatch):
    agent.post(
        *(
            an_outcome(f"c-{n}", session_id=f"s-{n % 2}", timestamp=f"2026-11-18T06:00:0{n}.5Z")
            for n in range(5)
        )
    )
    assert agent.get("stats", by="session")["counted_since"] is None
    monkeypatch.setattr(stats, "MOST_CALLS", 3)
    answer = agent.get("stats", by="session")
    assert {row["key"]: row["calls"] for row in answer["rows"]} == {"s-0": 2, "s-1": 1}
    since = answer["counted_since"]
    assert datetime.fromisoformat(since) == datetime(2026, 11, 18, 6, 0, 2, 500_000, UTC)
    assert agent.get("stats", by="session", since=since)["rows"] == answer["rows"]
    assert agent.get("stats", by="tool")["counted_since"] is None


def test_a_truncated_reason_still_selects_its_calls(agent):
    long = "no transfer of this department may go to " + "x" * 60
    agent.post(
        *tool_calls(*[{"type": "denied", "reason": reason} for reason in (long, long + "y", "x")])
    )
    key = agent.get("stats", by="reason", wait=1)["rows"][0]["key"]
    assert (len(key), len(agent.get("outcomes", reason=key)["outcomes"])) == (64, 2)
    assert len(agent.get("outcomes", reason=long)["outcomes"]) == 1


@pytest.mark.parametrize("query", [{"by": "contract"}, {"by": "tool", "sort": "calls"}])
def test_stats_reject_invalid_parameters(agent, query):
    assert agent.client.get("/api/v1/stats", query).status_code == 422


def test_changes_are_rolled_up_once_and_figures_do_not_change(agent):
    agent.post(*tool_calls({"output": 1, "elapsed_ms": 3}), builders.an_outcome())
    assert roll_up() == 1
    agent.post(*tool_calls({"output": "Error: x", "elapsed_ms": 3_000}))
    assert (roll_up(), roll_up()) == (1, 0)
    assert not RollupChange.objects.exists()
    assert differences() == []


def test_changes_of_many_minutes_are_rolled_up_in_several_batches(agent, monkeypatch):
    monkeypatch.setattr(rolling_up, "MINUTES", 1)
    monkeypatch.setattr(rolling_up, "_next", 0.0)
    agent.post(builders.an_outcome(timestamp="2026-11-01T00:00:00Z"))
    agent.post(builders.an_outcome(timestamp="2026-11-02T00:00:00Z"))
    assert (roll_up_now_and_then(), RollupChange.objects.count()) == (True, 1)
    assert (roll_up_now_and_then(), RollupChange.objects.count()) == (False, 0)
    assert differences() == []


def test_unchecked_calls_are_counted_next_to_every_rate(project, agent):
    agent.post(
        an_outcome(output={"ok": True}, tool_success=True),
        an_outcome(tool_success=True),
        an_outcome(tool_success=False),
        an_outcome(type="timeout"),
        an_outcome(type="denied", reason="contract"),
    )
    result = figures(project.pk, CallFilter())
    assert (result.judged, result.returned, result.with_output) == (4, 3, 1)
    assert (result.unchecked_successes, result.is_unchecked) == (1, False)
    agent.post(an_outcome(tool_name="blind", tool_success=True))
    assert figures(project.pk, CallFilter(tool="blind")).is_unchecked
    assert differences() == []


def test_a_late_output_turns_an_unchecked_call_into_a_checked_one(project, agent):
    agent.post(an_outcome("c-1", tool_success=True))
    assert figures(project.pk, CallFilter()).is_unchecked
    agent.post(an_outcome("c-1", output={"ok": True}, tool_success=True))
    result = figures(project.pk, CallFilter())
    assert (result.with_output, result.unchecked_successes) == (1, 0)
    assert differences() == []

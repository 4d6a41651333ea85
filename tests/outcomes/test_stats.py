"""Figures over any part of the calls, held to a plain recount of them."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from governance.commands.check_bindings import bind
from governance.commands.checks import save_check
from governance.domain.bindings import Binding
from governance.domain.wilson import wilson
from outcomes import commands
from outcomes.commands import names
from outcomes.domain.durations import bucket_of
from outcomes.domain.figures import Figures
from outcomes.domain.steps import Step
from outcomes.models import Call
from outcomes.queries import CallFilter
from outcomes.queries.stats import By, figures, figures_by, figures_by_over_time, figures_over_time
from tests import builders
from tests.outcomes.backtests import EDITOR
from tests.outcomes.posting import Agent
from tests.outcomes.rejudging import CHECK, reclassified
from tests.outcomes.test_settle_exactness import with_a_database

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
DAYS = timedelta(days=3)
SILENT = {"ok": False}
ZONES = [ZoneInfo(name) for name in ("UTC", "America/New_York", "Asia/Kathmandu")]

TOOLS, AGENTS, ENVIRONMENTS = ("http_get", "sql"), ("billing-bot", "ops"), ("production", "test")
moments = st.integers(0, int(DAYS.total_seconds() * 10)).map(
    lambda tenths: NOON + timedelta(seconds=tenths / 10)
)
results = st.sampled_from(
    [
        {"output": 1, "tool_success": True},
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


wanted_calls = st.builds(
    CallFilter,
    environment=st.sampled_from(["", *ENVIRONMENTS]),
    agent=st.sampled_from(["", *AGENTS, "nobody"]),
    tool=st.sampled_from(["", *TOOLS]),
    type=st.sampled_from(["", "", "denied"]),
    since=st.none() | moments,
    until=st.none() | moments,
)


def is_wanted(call, wanted):
    return (
        wanted.environment in ("", call.environment.name)
        and wanted.agent in ("", call.agent.name)
        and wanted.tool in ("", call.tool.name)
        and wanted.type in ("", call.kind)
        and (wanted.since is None or call.at >= wanted.since)
        and (wanted.until is None or call.at < wanted.until)
    )


def recounted(calls):
    found = Figures()
    for call in calls:
        found.add((call.kind, call.verdict, call.reason), 1, int(call.disagreement))
        if call.elapsed_ms is not None:
            found.durations[bucket_of(call.elapsed_ms)] += 1
    return found


def grouped(calls, key):
    found: dict[Any, list[Call]] = {}
    for call in calls:
        found.setdefault(key(call), []).append(call)
    found.pop(None, None)
    return {name: recounted(group) for name, group in found.items()}


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


@with_a_database(15)
@given(
    sent=st.lists(st.tuples(st.sampled_from(ENVIRONMENTS), posted()), min_size=1, max_size=20),
    wanted=wanted_calls,
    step=st.sampled_from([Step.QUARTER, Step.HOUR, Step.DAY]),
    zone=st.sampled_from(ZONES),
    rolled_up=st.sets(st.sampled_from([*ENVIRONMENTS, "both"])),
    reclassify=st.booleans(),
)
def test_figures_are_what_a_plain_recount_gives(
    db, sent, wanted, step, zone, rolled_up, reclassify
):
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
                commands.roll_up()
        if reclassify:
            bind_all_to_another_check(project)
            reclassified(project)
        if "both" in rolled_up:
            commands.roll_up()
        rows = Call.objects.select_related("environment", "agent", "tool", "session")
        calls = [call for call in rows if is_wanted(call, wanted)]
        assert figures(project.pk, wanted, durations=True) == recounted(calls)
        for by, key_of in KEYS.items():
            assert figures_by(project.pk, by, wanted, durations=True) == grouped(calls, key_of), by
        if wanted.since and wanted.until:
            over_time = figures_over_time(project.pk, wanted, step, zone, durations=True)
            for each in over_time:
                inside = [call for call in calls if each.start <= call.at < each.end]
                assert each.figures == recounted(inside)
            assert sum(each.figures.calls for each in over_time) == len(calls)
            of_tools = figures_by_over_time(project.pk, "tool", wanted, step, zone)
            assert Counter(
                {
                    tool: sum(each.figures.calls for each in found)
                    for tool, found in of_tools.items()
                }
            ) == Counter(call.tool.name for call in calls)
        transaction.set_rollback(True)


def test_a_rate_is_of_what_was_judged_and_denied_calls_are_nowhere_in_it():
    found = Figures()
    for became, calls in {
        ("execution_result", "success", ""): 3,
        ("timeout", "failure", ""): 1,
        ("execution_result", "unknown", ""): 5,
        ("denied", "", "limit"): 7,
        ("", "", ""): 2,
    }.items():
        found.add(became, calls)
    assert (found.calls, found.ran, found.judged, found.open) == (18, 9, 4, 2)
    assert (found.rate, found.bounds) == (0.75, wilson(3, 4))
    assert (found.unknown, found.denied, found.by_reason) == (5, 7, {"limit": 7})


def test_what_was_never_judged_has_no_rate_and_comes_last():
    few, many, unjudged = Figures(), Figures(), Figures()
    for found, calls in ((few, 1), (many, 100)):
        found.add(("failure", "failure", ""), calls)
    unjudged.add(("denied", "", "limit"), 1_000)
    assert unjudged.rate is None
    assert unjudged.bounds is None
    ranked = sorted([unjudged, few, many], key=lambda each: each.worst_first)
    assert ranked == [many, few, unjudged]

"""Calls that count as success although an open suggestion says that their outputs look like
failures."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from governance.checks.commands.bindings import bind
from governance.checks.domain import Binding
from outcomes.core.scope import Scope, scope_from
from outcomes.figures.queries.doubt import (
    SessionDoubt,
    doubt_by_session,
    doubt_in,
    suspected_by_session,
)
from outcomes.models import Session, Suggestion, SuspectedCall
from outcomes.suggestions.commands import scans
from outcomes.suggestions.commands.suggestions import dismiss_suggestion
from tests.outcomes.backtests import EDITOR
from tests.outcomes.pages import a_denied_item, an_item
from tests.outcomes.rejudging import reclassified
from tests.outcomes.waiting_jobs import scanned

NOT_OK = {"ok": False, "error": "bin not found"}


def unreported(session: str) -> dict[str, Any]:
    """A call reported as success without an output."""
    reported = {"type": "execution_result", "tool_name": "pay", "tool_success": True}
    return reported | {"agent_id": "bot", "session_id": session, "call_id": f"u-{session}"}


def last_day() -> Scope:
    return scope_from({}, now=datetime.now(UTC), zone=UTC)


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


@pytest.fixture
def traffic(project, agent):
    agent.post(
        *[an_item("s-1", tool_name="lookup", output=NOT_OK) for _ in range(3)],
        an_item("s-2", tool_name="lookup", output=NOT_OK, agent_id="other"),
        an_item("s-1", tool_name="lookup", output=NOT_OK, timestamp=ago(hours=30)),
        *[an_item("s-1", tool_name="lookup") for _ in range(5)],
        an_item("s-1", tool_name="pay"),
    )
    scanned(project)


@pytest.mark.usefixtures("traffic")
def test_suspected_failures_are_counted_in_the_scope(project):
    doubt = doubt_in(project.pk, last_day())
    assert (len(doubt), doubt.is_all) == (4, True)
    assert doubt.by_tool == {"lookup": 4}
    assert doubt.by_place == {("production", "bot"): 3, ("production", "other"): 1}
    steps = doubt.by_step(last_day().steps())
    assert (len(steps), sum(steps)) == (len(last_day().steps()), 4)
    assert len(doubt_in(project.pk, last_day().previous)) == 1
    assert not len(doubt_in(project.pk, last_day(), tool="pay"))


@pytest.mark.usefixtures("traffic")
def test_suspected_failures_are_counted_by_session(project):
    numbers = dict(Session.objects.values_list("session_id", "pk"))
    counted = suspected_by_session(project.pk, list(numbers.values()))
    assert counted == {numbers["s-1"]: 4, numbers["s-2"]: 1}


@pytest.mark.usefixtures("traffic")
def test_calls_with_an_output_are_counted_by_session(project, agent):
    agent.post(unreported("s-3"), unreported("s-2"), a_denied_item("s-4"))
    sessions = {each.session_id: each for each in Session.objects.all()}
    result = doubt_by_session(project.pk, list(sessions.values()))
    assert {name: result[each.pk] for name, each in sessions.items()} == {
        "s-1": SessionDoubt(suspected=4, returned=10, checked=10),
        "s-2": SessionDoubt(suspected=1, returned=2, checked=1),
        "s-3": SessionDoubt(returned=1),
        "s-4": SessionDoubt(),
    }


@pytest.mark.usefixtures("traffic")
def test_long_sessions_report_only_whether_any_output_was_sent(project, agent, monkeypatch):
    monkeypatch.setattr("outcomes.figures.queries.doubt.MOST_COUNTED", 0)
    agent.post(unreported("s-3"), a_denied_item("s-4"))
    sessions = {each.session_id: each for each in Session.objects.all()}
    result = doubt_by_session(project.pk, list(sessions.values()))
    assert {name: result[each.pk] for name, each in sessions.items()} == {
        "s-1": SessionDoubt(suspected=4),
        "s-2": SessionDoubt(suspected=1),
        "s-3": SessionDoubt(returned=1),
        "s-4": SessionDoubt(),
    }


@pytest.mark.usefixtures("traffic")
def test_lists_of_sessions_include_their_doubt(agent, pages):
    agent.post(unreported("s-3") | {"parent_session_id": "s-1"}, unreported("s-2"))
    for path in ("sessions/", "compare-sessions/?of=s-1", "compare-sessions/?of=s-3&with=s-1"):
        text = pages.text(path, range="7d") if "?" not in path else pages.text(path)
        assert "none checked" in text, path
    assert "4 in doubt" in pages.text("compare-sessions/?of=s-3&with=s-1")
    assert "none checked" in pages.session("s-1")  # its child
    assert "1 of 2 checked" in pages.text("sessions/", range="7d")


@pytest.mark.usefixtures("traffic")
def test_a_dismissed_suggestion_causes_no_doubt(project):
    dismiss_suggestion(project.pk, Suggestion.objects.get().pk, by=EDITOR)
    assert not len(doubt_in(project.pk, last_day()))


@pytest.mark.usefixtures("traffic")
def test_reclassified_calls_are_no_longer_in_doubt(project):
    bind(project, [Binding("*", "*", "*", "flags")], by=EDITOR)
    reclassified(project)
    assert SuspectedCall.objects.exists()
    assert not len(doubt_in(project.pk, last_day()))
    scanned(project)
    assert not SuspectedCall.objects.exists()


@pytest.mark.usefixtures("traffic")
def test_another_scan_adds_new_suspected_calls_and_removes_stale_ones(project, agent):
    before = set(SuspectedCall.objects.values_list("call", flat=True))
    agent.post(an_item("s-3", tool_name="lookup", output=NOT_OK))
    scanned(project)
    after = set(SuspectedCall.objects.values_list("call", flat=True))
    assert before < after
    assert len(after) == 6


def test_doubt_is_a_lower_bound_where_older_outputs_were_not_scanned(project, agent, monkeypatch):
    monkeypatch.setattr(scans, "NEWEST", 2)
    agent.post(*[an_item("s-1", tool_name="lookup", output=NOT_OK) for _ in range(4)])
    scanned(project)
    doubt = doubt_in(project.pk, last_day())
    assert (len(doubt), doubt.is_all) == (2, False)


@pytest.mark.usefixtures("traffic")
def test_session_pages_and_lists_state_the_doubt_about_their_calls(pages):
    assert "4 outputs look like failures, and no check covers them." in pages.session("s-1")
    assert "1 output looks like a failure, and no check covers it." in pages.session("s-2")
    listed = pages.text("sessions/")
    assert "60.0\N{EN DASH}100.0 % of 10 4 in doubt" in listed
    assert "0.0\N{EN DASH}100.0 % of 1 1 in doubt" in listed

"""Undetected failures, and only those, are suggested as rules for as long as they exist."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.domain import Binding
from governance.core.actor import Actor, ActorKind
from governance.core.errors import Forbidden, NotFound
from governance.core.roles import Role
from governance.models import AuditEntry
from outcomes.jobs import commands as jobs
from outcomes.models import Call, Suggestion, SuggestionScan
from outcomes.suggestions.commands import scans as suggestion_looks
from outcomes.suggestions.commands.results import keep
from outcomes.suggestions.commands.scans import (
    request_scan,
    request_scans,
    run_scan,
    waiting_scans,
)
from outcomes.suggestions.commands.suggestions import bring_back_suggestion, dismiss_suggestion
from outcomes.suggestions.queries import open_suggestions
from tests import builders
from tests.outcomes.backtests import EDITOR
from tests.outcomes.posting import Agent
from tests.outcomes.silent_failures import FAILING, results
from tests.outcomes.waiting_jobs import run_waiting_looks

NOT_OK = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: ours}
otherwise: success
rules:
  - id: not-ok
    when: {result.ok: {equals: false}}
    verdict: failure
"""


def ran(output, tool="crm_update", **fields):
    return builders.an_outcome(output=output, tool_name=tool, **fields)


def looked(project):
    """Suggestions after a scan, as tool, check and rule."""
    request_scan(project.pk)
    run_waiting_looks()
    return {
        (each.tool.name, f"{each.check_name}/{each.rule}") for each in open_suggestions(project.pk)
    }


def bound(project, tool, check):
    bind(project, [Binding("*", "*", tool, check)], by=EDITOR)


def only(project):
    (rows,) = Suggestion.objects.filter(project=project)
    return rows


def test_exactly_the_ten_of_thirty_tools_that_fail_silently_are_suggested(project, agent):
    agent.post(*results())
    assert Call.objects.values("tool").distinct().count() == 30
    assert looked(project) == {(tool, rule) for tool, (_, _, rule) in FAILING.items()}
    assert {(each.results, each.of) for each in Suggestion.objects.all()} == {(4, 12)}


def test_a_suggestion_has_values_times_and_shapes_of_the_matching_outputs(project, agent):
    times = [f"2026-11-18T12:00:0{second}+00:00" for second in range(4)]
    agent.post(
        ran({"ok": False, "id": 1}, call_id="one", timestamp=times[0]),
        ran({"ok": False, "id": 2}, call_id="two", timestamp=times[2]),
        ran({"ok": False, "note": "x"}, call_id="three", timestamp=times[1]),
        ran({"ok": True, "id": 3}, call_id="four", timestamp=times[3]),
    )
    looked(project)
    result = only(project)
    assert (result.results, result.of, result.judge) == (3, 4, "default")
    assert result.saw == [["result.ok", "false", 3]]
    assert [(each["shape"], each["results"], each["call"]) for each in result.samples] == [
        ("{id: number, ok: false}", 2, "two"),
        ("{note: text, ok: false}", 1, "three"),
    ]
    assert result.first_at is not None
    assert result.last_at is not None
    assert result.last_at - result.first_at == timedelta(seconds=2)


def test_a_suggestion_is_removed_when_a_bound_check_detects_the_failure(project, agent):
    agent.post(ran({"ok": False}))
    assert looked(project)
    bound(project, "*", "flags")
    assert looked(project) == set()
    assert not Suggestion.objects.exists()


def test_an_output_explicitly_accepted_by_a_rule_is_not_suggested(project, agent):
    words = NOT_OK.replace("verdict: failure", "verdict: success")
    save_check(project, document=words, by=EDITOR)
    bound(project, "*", "ours")
    agent.post(ran({"ok": False}), ran({"success": False}))
    assert looked(project) == {("crm_update", "flags/no-success")}


def test_only_outputs_counted_as_success_are_suggested(project, agent):
    save_check(project, document=NOT_OK.replace("success\n", "unknown\n"), by=EDITOR)
    bound(project, "*", "ours")
    agent.post(
        ran({"ok": False}),
        ran({"success": False}),
        ran(None, type="failure", error="success: false"),
        ran(None, type="denied", reason="contract"),
    )
    agent.post_events(builders.an_event("call_executed", tool_name="crm_update"))
    assert looked(project) == set()


def test_a_large_output_is_scanned_completely(project, agent):
    agent.post(ran({"log": "x" * 20_000, "ok": False}))
    assert looked(project) == {("crm_update", "flags/not-ok")}


def test_only_the_newest_outputs_of_each_tool_are_scanned(project, agent, monkeypatch):
    monkeypatch.setattr("outcomes.suggestions.commands.scans.NEWEST", 3)
    later = "2026-11-18T13:00:0{}+00:00"
    agent.post(ran({"ok": False}, timestamp="2026-11-18T12:00:00+00:00"))
    assert looked(project)
    agent.post(*[ran({"ok": True}, timestamp=later.format(n)) for n in range(3)])
    assert looked(project) == set()


def test_only_tools_with_new_outputs_are_scanned_again(project, agent):
    agent.post(ran({"ok": False}), ran({"ok": False}, tool="other"))
    looked(project)
    Suggestion.objects.update(of=99)
    agent.post(ran({"ok": False}))
    looked(project)
    assert {(each.tool.name, each.results, each.of) for each in Suggestion.objects.all()} == {
        ("crm_update", 2, 2),
        ("other", 1, 99),
    }
    SuggestionScan.objects.update(looked_at_all=timezone.now() - timedelta(days=2))
    looked(project)
    assert Suggestion.objects.get(tool__name="other").of == 1


def test_a_late_output_of_a_recorded_call_is_new(project, agent):
    agent.post_events(builders.an_event("call_executed", "c-1", tool_name="crm_update"))
    assert looked(project) == set()
    agent.post(ran({"ok": False}, call_id="c-1"))
    assert looked(project) == {("crm_update", "flags/not-ok")}


def test_a_scan_starts_only_after_a_change(project, agent):
    assert request_scans() == []
    agent.post(ran({"ok": True}))
    assert len(request_scans()) == 1
    assert run_waiting_looks() == 1
    assert request_scans() == []
    bound(project, "*", "flags")
    assert len(request_scans()) == 1
    run_waiting_looks()
    agent.post(ran({"ok": True}))
    assert len(request_scans()) == 1


def test_only_one_scan_is_queued_at_a_time(project):
    first = request_scan(project.pk)
    assert request_scan(project.pk).pk == first.pk
    assert SuggestionScan.objects.count() == 1
    assert run_waiting_looks() == 1
    assert run_waiting_looks() == 0
    again = request_scan(project.pk)
    assert (again.pk, again.status, again.finished_at) == (first.pk, "queued", None)


def test_a_scan_whose_worker_died_is_retried(project, agent):
    agent.post(ran({"ok": False}))
    request_scan(project.pk)
    died = timezone.now() - timedelta(minutes=5)
    SuggestionScan.objects.update(status="running", heard_at=died)
    assert len(waiting_scans()) == 1
    assert run_waiting_looks() == 1
    assert Suggestion.objects.count() == 1


@pytest.fixture
def short_turns(monkeypatch):
    """End each turn of a scan after its first tool."""
    monkeypatch.setattr(jobs, "TURN", 0.0)


def first_turn(project):
    number = request_scan(project.pk).pk
    assert not run_scan(number)
    assert SuggestionScan.objects.get().status == "queued"


def test_a_scan_yields_to_other_jobs_when_its_turn_ends(project, agent, short_turns):
    agent.post(ran({"ok": False}), ran({"ok": False}, tool="other"))
    first_turn(project)
    assert Suggestion.objects.count() == 1
    assert run_waiting_looks() == 1
    assert SuggestionScan.objects.get().status == "done"
    assert Suggestion.objects.count() == 2


def test_calls_that_arrive_during_a_scan_are_covered_by_the_next(project, agent, monkeypatch):
    agent.post(ran({"ok": True}))
    request_scan(project.pk)

    def meanwhile(*args):
        keep(*args)
        if not Suggestion.objects.exists() and Call.objects.count() == 1:
            agent.post(ran({"success": False}, tool="provision"))
            request_scan(project.pk)

    monkeypatch.setattr(suggestion_looks, "keep", meanwhile)
    run_waiting_looks()
    assert only(project).tool.name == "provision"
    suggestion_scan = SuggestionScan.objects.get()
    assert (suggestion_scan.status, suggestion_scan.is_requested_again) == ("done", False)


def test_calls_that_arrive_between_two_turns_are_covered(project, agent, short_turns):
    agent.post(ran({"ok": True}), ran({"ok": True}, tool="other"))
    first_turn(project)
    agent.post(ran({"success": False}, tool="provision"))
    request_scan(project.pk)
    run_waiting_looks()
    assert only(project).tool.name == "provision"


def test_a_scan_resumes_where_its_turn_ended(project, agent, short_turns):
    agent.post(ran({"ok": False}), ran({"ok": False}, tool="other"))
    first_turn(project)
    first = only(project)
    Suggestion.objects.update(of=99)
    agent.post(ran({"ok": False}, tool=first.tool.name))
    run_waiting_looks()
    assert {(each.tool.name == first.tool.name, each.of) for each in Suggestion.objects.all()} == {
        (True, 99),
        (False, 1),
    }
    assert len(request_scans()) == 1  # for calls that arrived during the scan
    run_waiting_looks()
    assert Suggestion.objects.get(pk=first.pk).results == 2


def test_a_dismissed_suggestion_stays_dismissed_until_it_is_restored(project, agent):
    agent.post(ran({"ok": False}))
    looked(project)
    number = only(project).pk
    dismiss_suggestion(project.pk, number, by=EDITOR)
    agent.post(ran({"ok": False}))
    assert looked(project) == set()
    assert (only(project).results, only(project).dismissed_by) == (2, str(EDITOR))
    bring_back_suggestion(project.pk, number, by=EDITOR)
    assert looked(project) == {("crm_update", "flags/not-ok")}
    rows = AuditEntry.objects.filter(action__startswith="suggestion").order_by("number")
    assert [(each.action, each.subject) for each in rows] == [
        ("suggestion dismissed", "flags/not-ok for crm_update"),
        ("suggestion restored", "flags/not-ok for crm_update"),
    ]


def test_a_dismissed_suggestion_that_recurs_is_still_dismissed(project, agent):
    agent.post(ran({"ok": False}))
    looked(project)
    dismiss_suggestion(project.pk, only(project).pk, by=EDITOR)
    bound(project, "*", "flags")
    looked(project)
    assert only(project).results == 0
    bind(project, [], by=EDITOR)
    assert looked(project) == set()
    assert only(project).results == 1


def test_restoring_a_suggestion_without_matches_removes_it(project, agent):
    agent.post(ran({"ok": False}))
    looked(project)
    dismiss_suggestion(project.pk, only(project).pk, by=EDITOR)
    bound(project, "*", "flags")
    looked(project)
    bring_back_suggestion(project.pk, only(project).pk, by=EDITOR)
    assert not Suggestion.objects.exists()


def test_dismissing_requires_the_editor_role(project, agent):
    agent.post(ran({"ok": False}))
    looked(project)
    operator = Actor(ActorKind.PERSON, 1, "o@example.test", Role.OPERATOR)
    for does in (dismiss_suggestion, bring_back_suggestion):
        with pytest.raises(Forbidden):
            does(project.pk, only(project).pk, by=operator)


def test_suggestions_of_another_project_cannot_be_dismissed(project, agent):
    other = builders.a_project("other")
    agent.post(ran({"ok": False}))
    looked(project)
    assert looked(other) == set()
    with pytest.raises(NotFound):
        dismiss_suggestion(other.pk, only(project).pk, by=EDITOR)


def test_outputs_of_all_environments_and_agents_are_scanned(project):
    key = builders.a_key(project, "agent", "ingest", env="staging")[0]
    Agent(builders.bearing(key)).post(ran({"ok": False}, agent_id="lonely"))
    assert looked(project) == {("crm_update", "flags/not-ok")}
    (sample,) = only(project).samples
    assert (sample["agent"], sample["environment"]) == ("lonely", "staging")


def test_the_bytes_read_from_large_outputs_are_bounded(project, agent, monkeypatch):
    monkeypatch.setattr("outcomes.suggestions.commands.scans.ALL_LARGE", 50_000)
    monkeypatch.setattr("outcomes.suggestions.commands.scans.LARGEST", 30_000)
    sizes = (40_000, 20_000, 20_000, 20_000)  # oldest first: too large, over budget, read, read
    agent.post(
        *[
            ran({"log": "x" * size, "ok": False}, timestamp=f"2026-11-18T12:00:0{second}+00:00")
            for second, size in enumerate(sizes)
        ]
    )
    looked(project)
    assert (only(project).results, only(project).of) == (2, 2)


def test_the_number_of_suggestions_is_bounded(project, agent, monkeypatch):
    monkeypatch.setattr("outcomes.suggestions.commands.results.MOST", 3)
    agent.post(*[ran({"ok": False}, tool=f"tool-{number}") for number in range(5)])
    assert len(looked(project)) == 3
    agent.post(ran({"ok": False}, tool="tool-0"))
    assert len(looked(project)) == 3

"""Pages of suggestions: list, dismissal, and the steps from a suggestion to a bound rule."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.urls import reverse

from governance.alerts.queries import open_alerts
from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.domain import Binding
from governance.checks.queries.bindings import bindings_of
from governance.core.roles import Role
from governance.models import CheckDraft
from outcomes.alerts.commands import evaluate_project
from outcomes.models import Call, Rejudging, Suggestion, SuggestionScan
from outcomes.suggestions.commands.scans import request_scan
from tests import builders
from tests.governance.naming import check_text
from tests.items import an_outcome as an_item
from tests.outcomes.backtests import EDITOR
from tests.outcomes.pages import text_of
from tests.outcomes.waiting_jobs import run_waiting_looks, run_waiting_parts
from tests.recount import differences

FINE = "{when: {result.fine: {equals: false}}, id: not-ok, verdict: failure}"


def ran(output, tool="crm_update", **fields):
    return builders.an_outcome(output=output, tool_name=tool, **fields)


@pytest.fixture
def editor(client_as):
    client = client_as(Role.EDITOR)
    client.get("/")
    return client


@pytest.fixture
def fails(project, agent):
    """Two silent failures among three scanned outputs."""
    agent.post(ran({"ok": False, "id": 1}, call_id="c-1"), ran({"ok": False}), ran({"ok": True}))
    return scan(project)


def scan(project):
    request_scan(project.pk)
    run_waiting_looks()
    return Suggestion.objects.get(project=project)


def page(project):
    return reverse("outcomes:suggestions", args=[project.slug])


def start_effect(project, name, suggestion):
    return reverse(f"outcomes:{name}", args=[project.slug, suggestion.pk])


def flow_page(project, row):
    place = [project.slug, row.tool_id, row.check_name, row.rule]
    return reverse("outcomes:suggestion", args=place)


def step(client, project, row, act):
    """Click the button of a step and follow the redirects."""
    return client.post(flow_page(project, row), {"act": act}, follow=True)


def draft(client, project, row):
    return step(client, project, row, "draft")


def test_the_list_names_the_worst_tool_and_links_to_each_suggestion(project, fails, client_as):
    answer = client_as(Role.VIEWER).get(page(project))
    text = text_of(answer)
    assert "2 of 3 crm_update outputs look like failures" in text
    assert "2 of 3 outputs of crm_update have ok: false and count as success." in text
    assert "3 of 3 calls sent an output in the last 24 hours." in text
    assert flow_page(project, fails) in answer.text


def test_a_suggestion_displays_the_rule_next_to_an_output(project, fails, client_as):
    answer = client_as(Role.VIEWER).get(flow_page(project, fails))
    text = text_of(answer)
    assert "Suggestion: count ok: false as failure" in text
    assert "matches 2 of the newest 3 outputs of crm_update" in text
    assert "row 32 of the result shapes, Slack style" in text
    assert "id : not-ok" in text
    assert "<mark>  &quot;ok&quot;: false" in answer.text
    assert "You need the Editor role to create the check." in text
    assert "Create draft" not in text


def test_the_page_of_a_suggestion_lists_the_patterns_of_its_outputs(project, fails, client_as):
    answer = client_as(Role.VIEWER).get(flow_page(project, fails))
    assert "{id: number, ok: false}" in text_of(answer)
    assert "/calls/c-1/" in answer.text
    file = client_as(Role.VIEWER).get(f"{flow_page(project, fails)}?format=csv&table=samples")
    assert "c-1" in b"".join(file.streaming_content).decode()


def test_a_suggestion_preserves_its_first_seen_date(project, fails, agent, client_as):
    Suggestion.objects.update(first_seen_at=datetime(2026, 11, 2, 8, 15, tzinfo=UTC))
    agent.post(ran({"ok": False}))
    again = scan(project)
    assert (again.results, again.looked_at > again.first_seen_at) == (3, True)
    shown = client_as(Role.VIEWER).get(flow_page(project, again)).text
    assert re.search(r'Suggested since\s+<time datetime="2026-11-02T08:15', shown)


def test_each_matching_value_is_counted(project, agent, client_as):
    agent.post(*[ran({"status": status}, tool="get") for status in (500, 500, 502)])
    row = scan(project)
    text = text_of(client_as(Role.VIEWER).get(flow_page(project, row)))
    assert "count status such as 500 as failure" in text
    assert "status: 500 2 times, status: 502 once" in text


def test_the_empty_page_counts_the_outputs_that_were_scanned(project, agent, client_as):
    viewer = client_as(Role.VIEWER)
    assert "No calls to scan in the last 24 hours" in text_of(viewer.get(page(project)))
    agent.post(ran({"ok": True}), ran({"ok": True}))
    request_scan(project.pk)
    unscanned = text_of(viewer.get(page(project)))
    assert "Not scanned yet: 2 of 2 calls sent an output in the last 24 hours" in unscanned
    assert "No suggestions" not in unscanned
    run_waiting_looks()
    text = text_of(viewer.get(page(project)))
    assert "No suggestions: 2 of 2 calls sent an output in the last 24 hours" in text


def test_a_project_without_outputs_has_its_own_empty_state_with_example_code(
    project, agent, client_as
):
    agent.post(*[an_item(tool_name="crm_update", tool_success=True) for _ in range(3)])
    request_scan(project.pk)
    run_waiting_looks()
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "None of 3 calls sent an output in the last 24 hours: nothing can be checked" in text
    assert "**console.guard_options()" in text
    assert "looks like" not in text


def test_tool_names_and_values_sent_by_agents_are_escaped(project, agent, client_as):
    agent.post(ran({"error": '`<b>` & "x"'}, tool="<i>`t`", agent_id="<u>"))
    scan(project)
    words = client_as(Role.VIEWER).get(page(project))
    assert "<b>" not in words.text
    assert "<i>" not in words.text
    assert "<u>" not in words.text
    assert "1 of 1 <i>'t' output looks like a failure" in text_of(words)


def test_a_suggestion_is_dismissed_and_restored(project, fails, editor):
    assert flow_page(project, fails) in editor.get(page(project)).text
    editor.post(start_effect(project, "dismiss_suggestion", fails))
    answer = editor.get(page(project))
    assert flow_page(project, fails) not in answer.text
    assert "Restore" in text_of(answer)
    editor.post(start_effect(project, "bring_back_suggestion", fails))
    assert flow_page(project, fails) in editor.get(page(project)).text


def test_a_scan_can_be_started_on_the_page(project, editor):
    editor.post(reverse("outcomes:look_now", args=[project.slug]))
    assert SuggestionScan.objects.get(project=project).status == "queued"


def test_a_suggestion_leads_in_four_steps_to_the_corrected_rate(project, fails, editor, agent):
    text = text_of(draft(editor, project, fails))
    assert "1 rule for crm_update in crm-update ." in text
    assert "As crm-update v1 . Computing its impact" in text
    run_waiting_parts()
    text = text_of(editor.get(flow_page(project, fails)))
    assert "2 recorded calls would change to failure." in text
    assert "3 recorded calls with an output: 2 change to failure." in text
    assert "Saved as crm-update v1 ." in text_of(step(editor, project, fails, "save"))
    assert "crm-update checks new calls of crm_update ." in text_of(
        step(editor, project, fails, "bind")
    )
    assert [str(line) for line in bindings_of(project).lines] == ["* * crm_update → crm-update"]
    request_scan(project.pk)  # the scan finds that the rule covers them and drops the suggestion
    run_waiting_looks()
    assert "Reclassify 3 calls" in text_of(editor.get(flow_page(project, fails)))
    started = step(editor, project, fails, "reclassify")
    assert "/reclassifications/" in started.redirect_chain[-1][0]
    run_waiting_parts()
    verdicts = sorted(Call.objects.values_list("verdict", flat=True))
    assert verdicts == ["failure", "failure", "success"]
    done = text_of(editor.get(flow_page(project, fails)))
    assert "Recorded calls have the verdicts of crm-update v1 ." in done
    assert differences() == []


def test_only_the_next_step_is_available(project, fails, editor):
    for act in ("save", "bind", "reclassify", "undo-bind", "nothing", ""):
        step(editor, project, fails, act)
    assert not CheckDraft.objects.exists()
    assert not bindings_of(project).lines
    assert not Rejudging.objects.exists()
    shown = editor.get(flow_page(project, fails)).text
    for reason in ("Create the draft first", "Save the check first", "Bind the check first"):
        assert f'disabled title="{reason}"' in shown


def test_a_draft_can_be_discarded_and_a_binding_undone(project, fails, editor):
    draft(editor, project, fails)
    step(editor, project, fails, "undo-draft")
    assert not CheckDraft.objects.exists()
    for act in ("draft", "save", "bind"):
        step(editor, project, fails, act)
    assert "Bind to crm_update" in text_of(step(editor, project, fails, "undo-bind"))
    assert not bindings_of(project).lines


def test_a_viewer_cannot_act_on_a_suggestion(project, fails, client_as):
    viewer = client_as(Role.VIEWER)
    viewer.get("/")
    assert draft(viewer, project, fails).status_code == 403
    assert not CheckDraft.objects.exists()


def test_a_suggestion_of_another_project_is_404(fails):
    other = builders.a_project("other")
    client = builders.signed_in(builders.a_member(other, Role.EDITOR).user)
    assert client.get(flow_page(other, fails)).status_code == 404


def test_the_suggestion_card_of_a_tool_can_be_embedded_in_other_pages(project, fails, client_as):
    viewer = client_as(Role.VIEWER)
    part = reverse("outcomes:suggestion_part", args=[project.slug])
    assert "count ok: false as failure" in text_of(viewer.get(f"{part}?tool=crm_update"))
    assert "count ok: false as failure" in text_of(viewer.get(part))
    for query in ("?tool=other", "?tool=crm_update&check=flags&rule=no-success"):
        assert viewer.get(part + query).content == b""


def test_the_card_polls_while_its_impact_is_computed(project, fails, editor):
    card = draft(editor, project, fails).text
    (again,) = map(unescape, re.findall(r'hx-get="([^"]+live/suggestion/[^"]+)"', card))
    assert again in unescape(editor.get(again).text)
    run_waiting_parts()
    assert "hx-get" not in editor.get(again).text


@pytest.mark.parametrize("judge", ["default", "http"])
def test_a_new_check_is_drafted_if_a_built_in_check_is_bound(project, agent, editor, judge):
    if judge != "default":
        bind(project, [Binding("*", "*", "*", judge)], by=EDITOR)
    agent.post(ran({"ok": False}), ran({"ok": True}))
    suggestion = scan(project)
    draft(editor, project, suggestion)
    made = CheckDraft.objects.get()
    assert made.success_check is None
    assert "name: crm-update" in made.text
    assert "tool: crm_update" in made.text
    assert ("include: [http]" in made.text) == (judge == "http")
    run_waiting_parts()
    effect = Rejudging.objects.get()
    assert effect.tools == ["crm_update"]
    assert effect.result["flips"]["counts"]["newly_failed"] == 1


def test_the_rule_is_added_to_the_check_bound_to_the_tool(project, agent, editor):
    save_check(project, document=check_text(FINE), by=EDITOR)
    bind(project, [Binding("*", "*", "crm_*", "mine")], by=EDITOR)
    agent.post(ran({"ok": False}), ran({"ok": False}, tool="other"))
    request_scan(project.pk)
    run_waiting_looks()
    suggestion = Suggestion.objects.get(tool__name="crm_update")
    draft(editor, project, suggestion)
    made = CheckDraft.objects.get()
    assert made.success_check is not None
    assert made.success_check.name == "mine"
    assert "id: not-ok-2" in made.text
    text = text_of(step(editor, project, suggestion, "save"))
    assert "mine checks new calls of crm_update ." in text
    assert "Reclassify 1 call" in text
    run_waiting_parts()  # its impact is computed first
    request_scan(project.pk)
    run_waiting_looks()
    assert [each.tool.name for each in Suggestion.objects.all()] == ["other"]


def test_the_rule_is_added_to_an_open_draft_of_the_bound_check(project, agent, editor):
    save_check(project, document=check_text(FINE), by=EDITOR)
    bind(project, [Binding("*", "*", "*", "mine")], by=EDITOR)
    agent.post(ran({"ok": False}), ran({"success": False}, tool="other"))
    request_scan(project.pk)
    run_waiting_looks()
    for each in Suggestion.objects.all():
        draft(editor, project, each)
    made = CheckDraft.objects.get()
    assert "tool: crm_update" in made.text
    assert "tool: other" in made.text


def test_a_rule_is_drafted_only_once_and_other_rules_of_the_tool_join_the_draft(
    project, agent, editor
):
    agent.post(ran({"ok": False}), ran({"success": False}))
    request_scan(project.pk)
    run_waiting_looks()
    first, other = Suggestion.objects.order_by("rule")
    for each in (first, first, other):
        draft(editor, project, each)
    made = CheckDraft.objects.get()
    assert (made.text.count("id: no-success"), made.text.count("id: not-ok")) == (1, 1)


def test_a_rule_saved_in_the_editor_can_be_bound_next(project, fails, editor):
    draft(editor, project, fails)
    save_check(project, document=CheckDraft.objects.get().text, by=EDITOR)
    text = text_of(draft(editor, project, fails))
    assert "Saved as crm-update v1 ." in text
    assert "Bind to crm_update" in text


def test_a_draft_with_syntax_errors_is_not_changed(project, agent, editor):
    save_check(project, document=check_text(FINE), by=EDITOR)
    bind(project, [Binding("*", "*", "*", "mine")], by=EDITOR)
    agent.post(ran({"ok": False}))
    suggestion = scan(project)
    draft(editor, project, suggestion)
    CheckDraft.objects.update(text="rules: {")
    assert "Fix it first" in text_of(draft(editor, project, suggestion))
    assert CheckDraft.objects.get().text == "rules: {"


@pytest.mark.parametrize("place", [("nothing", "not-ok"), ("flags", "nothing")])
def test_only_rules_of_built_in_checks_can_be_drafted(project, fails, editor, place):
    address = reverse("outcomes:suggestion", args=[project.slug, fails.tool_id, *place])
    answer = editor.post(address, {"act": "draft"}, follow=True)
    assert "Built-in rule not found." in text_of(answer)
    assert not CheckDraft.objects.exists()


def test_an_alert_links_to_its_suggestion(project, fails, client_as):
    evaluate_project(project)
    (alert,) = open_alerts(project)
    flow = [fails.tool_id, fails.check_name, fails.rule]
    assert alert.link == reverse("outcomes:suggestion", args=[project.slug, *flow])
    listed = text_of(client_as(Role.VIEWER).get(reverse("outcomes:alerts", args=[project.slug])))
    assert "crm_update outputs look like failures" in listed


def test_the_number_of_queries_does_not_depend_on_the_number_of_suggestions(
    project, agent, client_as, django_assert_max_num_queries
):
    agent.post(*[ran({"ok": False}, tool=f"t-{n}") for n in range(30)])
    request_scan(project.pk)
    run_waiting_looks()
    viewer = client_as(Role.VIEWER)
    viewer.get(page(project))
    with django_assert_max_num_queries(12):
        assert "29 more suggestions" in text_of(viewer.get(page(project)))


def test_an_object_value_is_described_without_quoting_it(project, agent, client_as):
    agent.post(ran({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}, tool="rpc"))
    row = scan(project)
    text = text_of(client_as(Role.VIEWER).get(flow_page(project, row)))
    assert "count a non-empty error as failure" in text


def test_a_page_waiting_for_a_scan_refreshes_when_it_ends(project, client_as):
    viewer = client_as(Role.VIEWER)
    state = reverse("outcomes:look_standing", args=[project.slug])
    request_scan(project.pk)
    assert state in viewer.get(page(project)).text
    assert text_of(viewer.get(state)) == "Starting."
    SuggestionScan.objects.update(total=12, passed=4)
    assert text_of(viewer.get(state)) == "4 of 12 tools scanned."
    run_waiting_looks()
    assert viewer.get(state).headers["HX-Refresh"] == "true"
    assert state not in viewer.get(page(project)).text


def test_a_bounded_list_states_how_many_are_not_listed(project, agent, client_as, monkeypatch):
    monkeypatch.setattr("outcomes.suggestions.queries.SHOWN", 2)
    agent.post(*[ran({"ok": False}, tool=f"t-{number}") for number in range(5)])
    request_scan(project.pk)
    run_waiting_looks()
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "4 more suggestions" in text
    assert "2 of 5 suggestions" in text


def test_a_partial_failure_in_a_list_is_described_as_failed_items(project, agent, client_as):
    agent.post(ran({"items": [{"id": 1, "error": "no row"}, {"id": 2}]}, tool="bulk"))
    row = scan(project)
    text = text_of(client_as(Role.VIEWER).get(flow_page(project, row)))
    assert "count failed items in items as failure" in text

"""Suggestions as people meet them: read, dismissed, and made a rule of in one click."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from governance.alerts.queries import open_findings
from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.domain.bindings import Binding
from governance.core.roles import Role
from governance.models import CheckDraft
from outcomes.models import Rejudging, Suggestion, SuggestionLook
from outcomes.reclassification.commands.parts import run_waiting_parts
from outcomes.suggestions.commands.scans import ask_for_look, run_waiting_looks
from tests import builders
from tests.governance.naming import check_text
from tests.outcomes.backtests import EDITOR
from tests.outcomes.pages import text_of

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
    """Two silent failures of three results, looked at."""
    agent.post(ran({"ok": False, "id": 1}, call_id="c-1"), ran({"ok": False}), ran({"ok": True}))
    return look(project)


def look(project):
    ask_for_look(project.pk)
    run_waiting_looks()
    return Suggestion.objects.get(project=project)


def page(project):
    return reverse("outcomes:suggestions", args=[project.slug])


def asked(project, name, suggestion):
    return reverse(f"outcomes:{name}", args=[project.slug, suggestion.pk])


def draft(client, project, drafted, **more):
    """The click, and all that a browser does after it."""
    sent = {
        "suggestion": drafted.pk,
        "check": drafted.check_name,
        "rule": drafted.rule,
        "tool": drafted.tool.name,
        "judge": drafted.judge,
    }
    address = reverse("governance:draft_rule", args=[project.slug])
    return client.post(address, sent | more, follow=True)


def test_the_page_says_what_was_seen_and_which_known_form_it_follows(project, fails, client_as):
    said = client_as(Role.VIEWER).get(page(project))
    text = text_of(said)
    assert "1 form of failure is judged success, in 1 tool." in text
    assert "2 results of crm_update judged success have ok: false ." in text
    assert "of its newest 3" in text
    assert "row 32 of the result shapes, Slack style" in text
    assert "flags/not-ok" in text
    assert "{id: number, ok: false}" in text
    assert "/calls/c-1/" in said.text
    assert "Draft this rule" not in text


def test_it_says_since_when_it_is_suggested_whatever_was_looked_at_since(
    project, fails, agent, client_as
):
    Suggestion.objects.update(found_at=datetime(2026, 11, 2, 8, 15, tzinfo=UTC))
    agent.post(ran({"ok": False}))
    again = look(project)
    assert (again.results, again.looked_at > again.found_at) == (3, True)
    told = client_as(Role.VIEWER).get(page(project)).text
    assert 'suggested since <time datetime="2026-11-02T08:15' in told


def test_several_values_are_told_with_their_numbers(project, agent, client_as):
    agent.post(*[ran({"status": status}, tool="get") for status in (500, 500, 502)])
    look(project)
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "3 results of get judged success have status such as 500 ." in text
    assert "status: 500 2 times, status: 502 once" in text


def test_without_a_look_and_without_a_suggestion_the_page_says_so(project, client_as):
    viewer = client_as(Role.VIEWER)
    assert "No result was looked at yet." in text_of(viewer.get(page(project)))
    ask_for_look(project.pk)
    assert "are being looked at" in text_of(viewer.get(page(project)))
    run_waiting_looks()
    assert "looks like a known failure" in text_of(viewer.get(page(project)))


def test_names_and_values_of_agents_are_shown_as_they_are_and_do_nothing(project, agent, client_as):
    agent.post(ran({"error": '`<b>` & "x"'}, tool="<i>`t`", agent_id="<u>"))
    look(project)
    said = client_as(Role.VIEWER).get(page(project))
    assert "<b>" not in said.text
    assert "<i>" not in said.text
    assert "<u>" not in said.text
    assert "1 result of <i>'t' judged success has error:" in text_of(said)


def test_dismissing_and_bringing_back(project, fails, editor):
    assert "Draft this rule" in text_of(editor.get(page(project)))
    editor.post(asked(project, "dismiss_suggestion", fails))
    text = text_of(editor.get(page(project)))
    assert "Draft this rule" not in text
    assert "Bring back" in text
    editor.post(asked(project, "bring_back_suggestion", fails))
    assert "Draft this rule" in text_of(editor.get(page(project)))


def test_a_look_is_asked_for_by_a_button(project, editor):
    editor.post(reverse("outcomes:look_now", args=[project.slug]))
    assert SuggestionLook.objects.get(project=project).status == "queued"


@pytest.mark.parametrize("judge", ["default", "http"])
def test_for_a_check_of_the_console_a_new_one_opens_in_the_editor(project, agent, editor, judge):
    if judge != "default":
        bind(project, [Binding("*", "*", "*", judge)], by=EDITOR)
    agent.post(ran({"ok": False}), ran({"ok": True}))
    suggestion = look(project)
    opened = draft(editor, project, suggestion)
    made = CheckDraft.objects.get()
    assert opened.redirect_chain[-1][0].endswith(f"/checks/drafts/{made.pk}/")
    assert "What it would change is being computed." in text_of(opened)
    assert made.success_check is None
    assert "name: crm-update" in made.text
    assert "tool: crm_update" in made.text
    assert ("include: [http]" in made.text) == (judge == "http")
    run_waiting_parts()
    effect = Rejudging.objects.get()
    assert effect.tools == ["crm_update"]
    assert effect.result["flips"]["counts"]["newly_failed"] == 1
    text = text_of(editor.get(page(project)))
    assert "With the rule: 1 recorded call would become failures, none a success." in text


def test_the_rule_goes_into_the_check_that_judges_the_tool(project, agent, editor):
    save_check(project, document=check_text(FINE), by=EDITOR)
    bind(project, [Binding("*", "*", "crm_*", "mine")], by=EDITOR)
    agent.post(ran({"ok": False}), ran({"ok": False}, tool="other"))
    ask_for_look(project.pk)
    run_waiting_looks()
    suggestion = Suggestion.objects.get(tool__name="crm_update")
    opened = draft(editor, project, suggestion)
    assert opened.redirect_chain[-1][0].endswith("/checks/c/mine/edit/")
    made = CheckDraft.objects.get()
    assert "id: not-ok-2" in made.text
    save_check(project, document=made.text, by=EDITOR)
    run_waiting_parts()  # its effect comes first
    ask_for_look(project.pk)
    run_waiting_looks()
    assert [each.tool.name for each in Suggestion.objects.all()] == ["other"]


def test_a_draft_that_is_open_already_gets_the_rule_as_well(project, agent, editor):
    save_check(project, document=check_text(FINE), by=EDITOR)
    bind(project, [Binding("*", "*", "*", "mine")], by=EDITOR)
    agent.post(ran({"ok": False}), ran({"success": False}, tool="other"))
    ask_for_look(project.pk)
    run_waiting_looks()
    for each in Suggestion.objects.all():
        draft(editor, project, each)
    made = CheckDraft.objects.get()
    assert "tool: crm_update" in made.text
    assert "tool: other" in made.text


def test_a_second_click_writes_no_second_rule_and_another_rule_of_the_tool_joins_it(
    project, agent, editor
):
    agent.post(ran({"ok": False}), ran({"success": False}))
    ask_for_look(project.pk)
    run_waiting_looks()
    first, other = Suggestion.objects.order_by("rule")
    for each in (first, first, other):
        draft(editor, project, each)
    made = CheckDraft.objects.get()
    assert (made.text.count("id: no-success"), made.text.count("id: not-ok")) == (1, 1)
    checks = reverse("governance:checks", args=[project.slug])
    assert "A new check crm-update" in text_of(editor.get(checks))


def test_a_rule_that_is_saved_and_not_bound_leads_to_its_binding(project, fails, editor):
    draft(editor, project, fails)
    save_check(project, document=CheckDraft.objects.get().text, by=EDITOR)
    opened = draft(editor, project, fails)
    assert "crm-update has this rule already, and is bound nowhere." in text_of(opened)
    assert opened.redirect_chain[-1][0].endswith("?check=crm-update&tool=crm_update")
    of_check = reverse("governance:check", args=[project.slug, "crm-update"])
    assert "Bind it to crm_update" in text_of(editor.get(of_check))
    bind(project, [Binding("*", "*", "crm_update", "crm-update")], by=EDITOR)
    assert "counts from the next result on" in text_of(draft(editor, project, fails))
    assert "Bind it to" not in text_of(editor.get(of_check))


def test_a_draft_that_no_rule_fits_into_is_left_as_it_is(project, agent, editor):
    save_check(project, document=check_text(FINE), by=EDITOR)
    bind(project, [Binding("*", "*", "*", "mine")], by=EDITOR)
    agent.post(ran({"ok": False}))
    suggestion = look(project)
    draft(editor, project, suggestion)
    CheckDraft.objects.update(text="rules: {")
    opened = draft(editor, project, suggestion)
    assert "The rule was not drafted" in text_of(opened)
    assert CheckDraft.objects.get().text == "rules: {"


@pytest.mark.parametrize("more", [{"check": "nothing"}, {"rule": "nothing"}, {"rule": "\0"}])
def test_only_rules_of_the_library_are_drafted(project, fails, editor, more):
    assert "The console brings no such rule." in text_of(draft(editor, project, fails, **more))
    assert not CheckDraft.objects.exists()


def test_a_suggestion_that_is_gone_meanwhile_leaves_the_draft(project, fails, editor):
    opened = draft(editor, project, fails, suggestion="99")
    assert "What it would change is open" in text_of(opened)
    assert CheckDraft.objects.count() == 1


def test_nobody_has_the_effect_of_anothers_draft_computed(project, fails, editor, client_as):
    draft(editor, project, fails)
    Rejudging.objects.all().delete()
    effect = asked(project, "suggestion_effect", fails)
    another = client_as(Role.EDITOR)
    for number in (str(CheckDraft.objects.get().pk), "", "x", "9" * 30):
        another.post(f"{effect}?draft={number}")
    assert not Rejudging.objects.exists()


def test_what_needs_attention_leads_here(project, fails, client_as):
    (finding,) = open_findings(project)
    assert finding.link == page(project)
    attention = reverse("governance:attention", args=[project.slug])
    assert "Failures are judged success" in text_of(client_as(Role.VIEWER).get(attention))


def test_the_page_asks_the_same_number_of_queries_however_many_there_are(
    project, agent, client_as, django_assert_max_num_queries
):
    agent.post(*[ran({"ok": False}, tool=f"t-{n}") for n in range(30)])
    ask_for_look(project.pk)
    run_waiting_looks()
    viewer = client_as(Role.VIEWER)
    viewer.get(page(project))
    with django_assert_max_num_queries(12):
        assert "30 forms of failure are" in text_of(viewer.get(page(project)))


def test_a_field_that_holds_an_object_is_named_and_not_spelled_out(project, agent, client_as):
    agent.post(ran({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}, tool="rpc"))
    look(project)
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "1 result of rpc judged success has error that is not empty." in text


def test_who_waits_for_a_look_is_shown_what_came_of_it(project, client_as):
    viewer = client_as(Role.VIEWER)
    standing = reverse("outcomes:look_standing", args=[project.slug])
    ask_for_look(project.pk)
    assert standing in viewer.get(page(project)).text
    assert text_of(viewer.get(standing)) == "It begins."
    SuggestionLook.objects.update(total=12, passed=4)
    assert text_of(viewer.get(standing)) == "4 of 12 tools looked at."
    run_waiting_looks()
    assert viewer.get(standing).headers["HX-Refresh"] == "true"
    assert standing not in viewer.get(page(project)).text


def test_more_than_a_page_shows_are_told(project, agent, client_as, monkeypatch):
    monkeypatch.setattr("outcomes.suggestions.queries.SHOWN", 2)
    agent.post(*[ran({"ok": False}, tool=f"t-{number}") for number in range(5)])
    ask_for_look(project.pk)
    run_waiting_looks()
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "5 forms of failure are judged success, in 2 and more tools." in text
    assert "The 2 with the most results are shown; 3 more are open." in text


def test_a_list_of_which_some_items_failed_is_told_as_that(project, agent, client_as):
    agent.post(ran({"items": [{"id": 1, "error": "no row"}, {"id": 2}]}, tool="bulk"))
    look(project)
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "1 result of bulk judged success has failed items in items" in text

"""The playground: the library's decision on the call in the form, and the reason."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.case_runs.queries import answer_of
from governance.cases.views.call_form import CallForm
from governance.contracts.commands.drafts import begin_draft, keep_draft
from governance.contracts.queries.trial import try_call
from governance.core.actor import person
from governance.core.roles import Role
from governance.texts.dialect import Dialect
from tests import builders
from tests.governance.by_the_library import by_the_library
from tests.governance.casing import LAX, TEXT, saved
from tests.governance.contracts.documents import EVIL, EVIL_TEXT, document, post, pre
from tests.governance.generated import CALLS, DOCUMENTS, text_of

CALL = {"tool": "refund", "args": '{"amount": 75}', "environment": "production"}


@pytest.fixture
def bundle(project):
    return saved(project).bundle


@pytest.fixture
def viewer(client_as) -> Client:
    client: Client = client_as(Role.VIEWER)
    return client


def at(bundle, name="playground_of") -> str:
    return reverse(f"governance:{name}", args=[bundle.project.slug, bundle.name])


def typed(call) -> CallForm:
    """Form data as a browser sends it."""
    sent = {
        "tool": call.tool_name,
        "args": json.dumps(call.tool_args),
        "principal": "" if call.principal is None else json.dumps(call.principal),
        "output": (call.output or "").replace("\n", "\r\n"),
        "environment": call.environment,
    }
    return CallForm(sent | ({"returned": "on"} if call.output is not None else {}))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(DOCUMENTS, st.lists(CALLS, min_size=1, max_size=2), st.sampled_from(Dialect))
def test_the_playground_agrees_with_the_library(engine, contract, calls, dialect):
    text = text_of(contract, dialect)
    for call in calls:
        form = typed(call)
        if call.output is not None and ("\0" in call.output or "\r" in call.output):
            continue  # no browser sends these in a field
        assert form.is_valid(), form.errors
        assert form.call() == call
        try:
            decision, rules, error = by_the_library(text_of(contract), call)
        except AttributeError:  # `Bash` requires `command` to be a string
            assert try_call(text, form.call()).why
            continue
        tried = try_call(text, form.call())
        assert tried.explanation is not None
        assert (tried.explanation.decision, tried.explanation.error) == (decision, error)
        failed = {rule[0] for rule in rules if not rule[2]}
        assert {each.rule.id for each in tried.rules if each.rule.passed is False} == failed
        verdict = answer_of(engine.evaluate_call(text, call))
        assert set(tried.deciding) == set(verdict.rules)
        assert tried.explanation.action == verdict.action


def test_the_playground_works_without_javascript_and_displays_the_values_read(bundle, viewer):
    page = viewer.post(at(bundle), CALL)
    assert 'data-decision="block" data-action="block"' in page.text
    assert "Denied by <code>too-much</code>." in page.text
    assert "<code>75</code>" in page.text
    assert "Counts calls of a session" in page.text
    assert "amount=75" in page.text  # the form still has it


def test_the_fragment_contains_only_the_result(bundle, viewer):
    part = viewer.post(at(bundle, "playground_result"), CALL)
    assert 'data-action="block"' in part.text
    assert "<html" not in part.text


def test_invalid_json_arguments_report_line_and_column(bundle, viewer):
    part = viewer.post(at(bundle, "playground_result"), CALL | {"args": '{"amount" 75}'})
    assert "Line 1, column 11" in part.text
    page = viewer.post(at(bundle), CALL | {"args": "", "tool": ""})
    assert "Invalid call" in page.text


def test_the_playground_evaluates_any_version_and_defaults_to_the_newest(project, bundle, viewer):
    saved(project, LAX)
    assert 'data-action="allow"' in viewer.post(at(bundle), CALL).text
    assert 'data-action="block"' in viewer.post(at(bundle), CALL | {"version": "1"}).text
    assert viewer.post(at(bundle), CALL | {"version": "9"}).status_code == 404
    chosen = viewer.get(at(bundle), {"version": "1"})
    assert '<option value="1" selected>' in chosen.text


def test_you_can_try_only_your_own_draft(project, bundle, viewer):
    member = builders.a_member(project, Role.EDITOR)
    me = person(member.user_id, member.user.email, Role.EDITOR)
    draft = keep_draft(bundle, text=LAX, base=1, seen="", by=me)
    mine = builders.signed_in(member.user)
    result = CALL | {"version": "draft"}
    assert 'data-action="allow"' in mine.post(at(bundle), result).text
    assert 'data-action="block"' in viewer.post(at(bundle), result).text
    keep_draft(bundle, text=TEXT + "x: [", base=1, seen=draft.revision, by=me)
    broken = mine.post(at(bundle), result)
    assert "No decision" in broken.text
    assert "line " in broken.text


def test_rules_on_output_are_evaluated_only_with_an_output(project, viewer):
    bundle = saved(project, document(post("warn"), pre("{args.x: {exists: true}}"))).bundle
    without = viewer.post(at(bundle), CALL)
    assert "Needs an output" in without.text
    page = viewer.post(at(bundle), CALL | {"output": "a secret"})
    assert "Allowed with a warning by <code>p</code>." in page.text


def test_an_observe_mode_rule_reports_that_it_would_deny(project, viewer):
    bundle = saved(project, document(pre("{args.x: {exists: true}}"), mode="observe")).bundle
    page = viewer.post(at(bundle), CALL | {"args": '{"x": 1}'})
    assert "would deny (observe mode)" in page.text
    assert "Allowed. No rule matched." in page.text


def test_a_contract_that_exceeds_its_budget_is_reported_on_the_page(project, viewer):
    bundle = saved(project, EVIL).bundle
    page = viewer.post(at(bundle), CALL | {"args": json.dumps({"x": EVIL_TEXT})})
    assert page.status_code == 200
    assert "Evaluation stopped" in page.text


def test_choosing_a_contract_preserves_the_call(project, bundle, viewer):
    there = reverse("governance:playground", args=[project.slug])
    empty = viewer.get(there)
    assert "<option>d</option>" in empty.text
    chosen = viewer.get(there, {"contract": "d"})
    assert "Try a call against <code>d</code>" in chosen.text
    response = viewer.post(there, CALL)
    assert "Choose a contract." in response.text
    assert "amount=75" in response.text
    assert 'data-action="block"' in viewer.post(there, CALL | {"contract": "d"}).text
    assert viewer.post(there, CALL | {"contract": "other"}).status_code == 404


def test_a_tried_call_prefills_a_new_test(bundle, client_as):
    editor = client_as(Role.EDITOR)
    page = editor.post(at(bundle, "new_case"), CALL | {"fill": "call"})
    assert page.status_code == 200
    assert "amount=75" in page.text
    assert bundle.cases.count() == 0


def test_a_contract_of_another_project_is_404(viewer):
    other = saved(builders.a_project()).bundle
    assert viewer.get(at(other)).status_code == 404


def new_draft(project, role=Role.EDITOR):
    member = builders.a_member(project, role)
    me = person(member.user_id, member.user.email, role)
    draft = begin_draft(project, text=TEXT, by=me)
    return builders.signed_in(member.user), [project.slug, draft.pk]


def test_a_call_can_be_tried_against_the_draft_of_a_new_contract(project):
    client, at = new_draft(project)
    editor = client.get(reverse("governance:edit_new_draft", args=at)).text
    page = reverse("governance:playground_of_draft", args=at)
    assert f'href="{page}' in editor
    assert "Try a call against your draft" in client.get(page).text
    for answer in (
        client.post(page, CALL),
        client.post(reverse("governance:draft_result", args=at), CALL),
    ):
        assert "Denied by <code>too-much</code>." in answer.text
        assert "your draft" in answer.text
    assert "Invalid call" in client.post(page, {"tool": "refund", "args": "["}).text


def test_you_cannot_try_a_call_against_another_users_draft(project, client_as):
    _, at = new_draft(project)
    other = client_as(Role.EDITOR)
    page = other.get(reverse("governance:playground_of_draft", args=at))
    assert page["Location"] == reverse("governance:contracts", args=[project.slug])
    answer = other.post(reverse("governance:draft_result", args=at), CALL)
    assert "This draft was already saved or discarded." in answer.text
    for number in (0, 2**70):
        gone = reverse("governance:playground_of_draft", args=[project.slug, number])
        assert other.get(gone).status_code == 302

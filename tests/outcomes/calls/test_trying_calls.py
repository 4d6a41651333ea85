"""From the page of a recorded call to the playground and to a contract test."""

import html
import re

import pytest
from django.urls import reverse

from governance.case_runs.queries import cases_of
from governance.core.cases import Stops
from governance.core.roles import Role
from tests import builders
from tests.governance.casing import TEXT, saved
from tests.governance.deploying import live
from tests.items import an_event, an_outcome
from tests.outcomes.posting import Agent

FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


@pytest.fixture
def version(project):
    return live(saved(project, TEXT))


@pytest.fixture
def agent(project) -> Agent:
    return Agent(builders.bearing(builders.a_key(project)[0]))


@pytest.fixture
def editor(client_as):
    return client_as(Role.EDITOR)


def page_of(client, project, call_id="c-1") -> str:
    text: str = client.get(reverse("outcomes:call", args=[project.slug, call_id])).text
    return text


def fields_in(page: str) -> dict[str, str]:
    form = page.partition("Try in the playground")[0].rpartition("<form")[2]
    return {name: html.unescape(value) for name, value in FIELD.findall(form)}


def denied(call_id="c-1", **more):
    item = {"type": "denied", "reason": "contract", "details": "x", "tool_name": "refund"}
    return an_outcome(call_id, **(item | more))


def at(project, name, bundle="d") -> str:
    return reverse(f"governance:{name}", args=[project.slug, bundle])


def test_a_recorded_call_opens_the_playground_filled_in_and_evaluated(
    project, version, agent, editor
):
    agent.post(denied(tool_args={"amount": 75, "to": 'a "b"\n<c>'}))
    fields = fields_in(page_of(editor, project))
    page = editor.post(at(project, "playground_of"), fields)
    assert 'data-action="block"' in page.text
    assert "\\n&lt;c&gt;" in page.text


def test_a_denied_call_can_be_saved_as_a_test_that_names_its_rule(project, version, agent, editor):
    event = an_event("call_denied", "c-1", tool_name="refund", tool_args={"amount": 75})
    event |= {"decision_source": "yaml_precondition", "decision_name": "too-much"}
    agent.post_events(event | {"policy_version": version.revision_hash})
    page = page_of(editor, project)
    assert at(project, "keep_call") in page
    editor.post(at(project, "keep_call"), fields_in(page))
    (row,) = cases_of(version.bundle)
    assert (row.name, row.action, row.rule) == ("refund 75: denied", "block", "too-much")
    assert row.spec().calls[0].args == {"amount": 75}


def test_an_executed_call_can_be_saved_as_a_test_with_its_output(project, version, agent, editor):
    agent.post(an_outcome("c-1", tool_name="refund", tool_args={"amount": 1}, output={"ok": True}))
    editor.post(at(project, "keep_call"), fields_in(page_of(editor, project)))
    (row,) = cases_of(version.bundle)
    assert row.action == "allow"
    assert row.spec().calls[0].output == "{'ok': True}"


def test_an_output_stored_separately_is_omitted_from_the_test_and_the_page_says_so(
    project, version, agent, editor
):
    agent.post(an_outcome("c-1", tool_name="refund", tool_args={"amount": 1}, output="x" * 40_000))
    fields = fields_in(page_of(editor, project))
    assert "output" not in fields
    answer = editor.post(at(project, "keep_call"), fields, follow=True)
    assert "left out" in answer.text


def test_a_call_denied_by_a_limit_can_be_saved_as_a_session_test(project, version, agent, editor):
    common = {"tool_args": {"amount": 1}, "session_id": "s", "tool_name": "refund"}
    agent.post(*(an_outcome(f"c-{number}", **common) for number in (1, 2)))
    agent.post(denied("c-3", reason="limit", **common))
    fields = fields_in(page_of(editor, project, "c-3"))
    assert (fields["became"], fields["number"]) == ("limit", "3")
    form = editor.post(at(project, "keep_call"), fields)
    assert "Add the calls before it" in form.text
    calls = '[{"tool": "refund", "args": {"amount": 1}, "times": 3}]'
    session = {"name": "third", "calls": calls, "stopped_at": "3", "rule": "few"}
    editor.post(at(project, "new_session_case"), session)
    (row,) = cases_of(version.bundle)
    assert isinstance(row.spec().expects, Stops)


def test_arguments_masked_by_the_agent_are_marked(project, version, agent, editor):
    agent.post(an_outcome("c-1", tool_name="refund", tool_args={"token": "[REDACTED]"}))
    page = page_of(editor, project)
    assert "Some arguments were masked or cut" in page
    assert fields_in(page)["blanked"] == "on"


def test_a_call_without_a_known_contract_opens_the_playground_without_one(project, agent, editor):
    agent.post(an_outcome("c-1", tool_args={"x": 1}))
    page = page_of(editor, project)
    assert reverse("governance:playground", args=[project.slug]) in page
    assert "Save as test" not in page


def test_a_call_without_reported_arguments_cannot_be_tried(project, version, agent, editor):
    agent.post(an_outcome("c-1", tool_args=None))
    assert "Try in the playground" not in page_of(editor, project)
    address = reverse("outcomes:try_call", args=[project.slug])
    assert editor.get(address, {"of": "c-1"}).status_code == 404
    assert editor.get(address, {"of": "unheard-of"}).status_code == 404


@pytest.mark.parametrize(("size", "fits_a_test"), [(40_000, True), (900_000, False)])
def test_a_large_call_is_tried_with_all_of_its_arguments(
    project, version, agent, editor, size, fits_a_test
):
    item = an_outcome("c-1", tool_name="refund", tool_args={"amount": 75, "text": "y" * size})
    agent.post(item)
    page = page_of(editor, project)
    assert 'name="args"' not in page, "who only looks does not wait for it"
    address = re.search(r'href="([^"]*)">\s*Try in the playground…', page)
    assert address is not None
    carried = editor.get(html.unescape(address[1])).text
    assert ("Save as test" in carried) == fits_a_test
    fields = fields_in(carried)
    assert len(fields["args"]) > size
    assert 'data-action="block"' in editor.post(at(project, "playground_of"), fields).text


def test_a_viewer_can_try_a_call_but_cannot_save_a_test(project, version, agent, client_as):
    agent.post(denied(tool_args={"amount": 75}))
    viewer = client_as(Role.VIEWER)
    page = page_of(viewer, project)
    assert "Try in the playground" in page
    assert "Save as test" not in page
    assert viewer.post(at(project, "keep_call"), fields_in(page)).status_code == 403


def test_tools_with_recorded_calls_are_offered_as_options(project, agent, editor):
    agent.post(an_outcome("c-1", tool_name="refund<"))
    options = editor.get(reverse("outcomes:tool_options", args=[project.slug]))
    assert '<option value="refund&lt;">' in options.text

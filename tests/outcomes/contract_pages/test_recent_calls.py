"""Contract tests from recent calls, and arguments filled in from the last call of a tool."""

import html
import re

import pytest
from django.urls import reverse

from governance.core.roles import Role
from governance.models import Case
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.serving import deployed
from tests.outcomes.pages import text_of

RULES = document(pre("{args.command: {contains: rm}}", rule_id="no-rm"))
PART = {"HX-Request": "true"}


@pytest.fixture
def editor(client_as):
    return client_as(Role.EDITOR)


def at(project, name, *args):
    return reverse(name, args=[project.slug, *args])


def ran(agent, *tools, **fields):
    agent.post(*(builders.an_outcome(tool_name=tool, **fields) for tool in tools))


def test_the_page_of_tests_loads_recent_calls_while_there_are_no_tests(project, agent, editor):
    deployed(project, RULES)
    page = editor.get(at(project, "governance:cases", "d")).text
    assert at(project, "outcomes:recent_calls", "d") in page


def test_recent_calls_of_a_contract_can_be_saved_as_tests(project, agent, editor):
    version = deployed(project, RULES)
    ran(agent, "shell", tool_args={"command": "ls"}, policy_version=version.revision_hash)
    ran(agent, "elsewhere", tool_args={"x": 1}, policy_version="0" * 64)
    part = editor.get(at(project, "outcomes:recent_calls", "d"), headers=PART)
    assert 'command: "ls"' in text_of(part)
    assert "elsewhere" not in part.text
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', part.text))
    fields = {name: html.unescape(value) for name, value in fields.items()}
    editor.post(at(project, "governance:keep_call", "d"), fields)
    (case,) = Case.objects.filter(bundle__project=project)
    assert (case.spec().calls[0].tool, case.spec().calls[0].args) == ("shell", {"command": "ls"})


def test_five_recent_calls_are_listed_with_different_tools_first(project, agent, editor):
    version = deployed(project, RULES)
    ran(agent, "first", tool_args={"n": 0}, policy_version=version.revision_hash)
    for number in range(9):
        ran(agent, "shell", tool_args={"n": number}, policy_version=version.revision_hash)
    part = editor.get(at(project, "outcomes:recent_calls", "d"), headers=PART).text
    assert part.count("Keep as test") == 5
    assert ">first" in re.sub(r"\s+", "", part)


def test_a_viewer_sees_recent_calls_but_cannot_save_them_as_tests(project, agent, client_as):
    version = deployed(project, RULES)
    ran(agent, "shell", tool_args={"n": 1}, policy_version=version.revision_hash)
    part = client_as(Role.VIEWER).get(at(project, "outcomes:recent_calls", "d"), headers=PART)
    assert "shell" in part.text
    assert "Keep as test" not in part.text


def test_a_contract_without_calls_has_an_empty_state(project, editor):
    deployed(project, RULES)
    part = editor.get(at(project, "outcomes:recent_calls", "d"), headers=PART)
    assert "No recent calls of this contract." in part.text


def test_selecting_a_tool_fills_the_fields_with_the_arguments_of_its_last_call(
    project, agent, editor
):
    ran(agent, "refund", tool_args={"amount": 1})
    ran(agent, "refund", tool_args={"amount": 20, "account": "A-1", "force": True})
    part = editor.get(at(project, "outcomes:argument_fields"), {"tool": "refund"}).text
    assert 'name="arg:number:amount" value="20"' in part
    assert 'name="arg:text:account" value="A-1"' in part
    assert 'name="arg:flag:force"' in part
    assert "amount=20\naccount=A-1\nforce=true</textarea>" in part
    rows = at(project, "outcomes:argument_lines")
    line = editor.get(rows, {"row": "2", "call:2:tool": "refund"}).text
    assert 'name="call:2:args"' in line
    assert "amount=20\naccount=A-1\nforce=true</textarea>" in line
    assert editor.get(rows, {"row": "2", "call:2:tool": "unknown"}).status_code == 204
    assert editor.get(rows, {"row": "x", "tool": "refund"}).status_code == 204
    for unknown in ("nothing", "", "x" * 3_000, "\0"):
        answer = editor.get(at(project, "outcomes:argument_fields"), {"tool": unknown})
        assert answer.status_code == 200
        assert "arg:" not in answer.text


def test_a_secret_in_the_last_call_is_masked(project, agent, editor):
    ran(agent, "login", tool_args={"password": "hunter2-hunter2"})
    part = editor.get(at(project, "outcomes:argument_fields"), {"tool": "login"}).text
    assert "hunter2" not in part


def test_a_test_can_be_written_with_form_fields_only(project, editor):
    deployed(project, document(pre(ALWAYS)))
    sent = {
        "name": "large refund",
        "tool": "refund",
        "args": "{}",
        "arg:number:amount": "20",
        "arg:text:account": "A-1",
        "arg:flag:force": "",
        "principal": "",
        "output": "",
        "environment": "production",
        "action": "block",
        "rule": "",
    }
    new = at(project, "governance:new_case", "d")
    wrong = editor.post(new, sent | {"arg:number:amount": "many"})
    assert wrong.status_code == 422
    assert "amount: " in wrong.text
    assert 'value="many"' in wrong.text
    assert editor.post(new, sent).status_code == 302
    (case,) = Case.objects.filter(bundle__project=project)
    assert case.spec().calls[0].args == {"amount": 20, "account": "A-1"}
    page = editor.get(at(project, "governance:edit_case", "d", case.pk)).text
    assert 'name="arg:number:amount" value="20"' in page
    editor.post(
        at(project, "governance:edit_case", "d", case.pk),
        sent | {"raw": "on", "args": '{"amount": 7}'},
    )
    case.refresh_from_db()
    assert case.spec().calls[0].args == {"amount": 7}

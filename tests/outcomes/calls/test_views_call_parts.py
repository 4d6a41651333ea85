"""Sections of the call page: rules, previous call of the tool, attempts and check."""

import html
import re
from typing import Any

import pytest

from governance.core.roles import Role
from tests import builders
from tests.governance.contracts.documents import document, pre
from tests.outcomes.pages import Pages, a_denied_item, an_item, text_of

CAP = "{id: cap, type: session, limits: {max_tool_calls: 3}, then: {action: block, message: full}}"


def saved(agent, *rules: str) -> str:
    body = {"yaml": document(*rules)}
    answer = agent.client.post("/v1/contracts", body, "application/json")
    return str(answer.json()["revision_hash"])


def part(pages: Pages, name: str, call_id: str) -> str:
    headers = {"HX-Request": "true"}
    return text_of(pages.client.get(f"{pages.base}/live/{name}/", {"of": call_id}, headers=headers))


def test_rules_are_evaluated_under_the_version_that_governed_the_call(pages, agent):
    rule = pre('{args.path: {contains: ".env"}}', message="Not that file.", rule_id="no-secrets")
    version = saved(agent, rule, CAP)
    saved(agent, CAP)  # a newer version without the rule
    fields: dict[str, Any] = {"policy_version": version, "tool_args": {"path": "a/.env"}}
    first = an_item(policy_version=version)
    ran = an_item(policy_version=version, tool_args={"path": "a.txt"})
    denied = a_denied_item(decision_name="no-secrets", details="Not that file.", **fields)
    agent.post(first, ran, denied)
    text = part(pages, "call-rules", denied["call_id"])
    assert "Rules evaluated d v1 · Denied by no-secrets no-secrets pre denied" in text
    assert "Re-evaluated now" not in text
    assert "no-secrets pre denied Not that file. args.path" in text
    assert "cap executions 2 of 3 before this call" in text
    assert "no-secrets pre passed" in part(pages, "call-rules", ran["call_id"])
    assert "cap executions 1 of 3 before this call" in part(pages, "call-rules", ran["call_id"])


def test_a_call_denied_by_a_limit_is_never_labeled_allowed(pages, agent):
    rule = pre('{args.path: {contains: ".env"}}', rule_id="no-secrets")
    version = saved(agent, rule, CAP)
    ran = [an_item(policy_version=version) for _ in range(3)]
    denied = a_denied_item(reason="limit", decision_name="cap", policy_version=version)
    agent.post(*ran, denied)
    text = part(pages, "call-rules", denied["call_id"])
    assert "d v1 · Denied by session limit cap cap executions 3 of 3 before this call" in text
    assert "Allowed" not in text
    assert "Re-evaluated" not in text


def test_a_limit_without_a_known_version_is_displayed_as_reported(pages, agent):
    version = saved(agent, pre('{args.path: {contains: ".env"}}', rule_id="no-secrets"))
    denied = a_denied_item(reason="limit", decision_name="other-cap", policy_version=version)
    agent.post(denied)
    text = part(pages, "call-rules", denied["call_id"])
    assert "Denied by session limit other-cap" in text
    assert "The limit is not part of a known contract version." in text
    assert "Allowed" not in text


def test_a_rule_that_decides_differently_now_is_explained(pages, agent):
    rule = pre('{args.path: {contains: ".env"}}', rule_id="no-secrets")
    version = saved(agent, rule)
    fields: dict[str, Any] = {"policy_version": version, "decision_name": "no-secrets"}
    redacted = a_denied_item(tool_args={"path": "[REDACTED]"}, **fields)
    silent = a_denied_item(tool_args=None, **fields)
    ran = an_item(policy_version=version, tool_args={"path": "a/.env"})
    agent.post(redacted, silent, ran)
    text = part(pages, "call-rules", redacted["call_id"])
    assert (
        "Denied by no-secrets Re-evaluated now: allowed. Some arguments were masked or cut" in text
    )
    assert "The agent didn't report the arguments." in part(pages, "call-rules", silent["call_id"])
    allowed = part(pages, "call-rules", ran["call_id"])
    assert "d v1 · Allowed Re-evaluated now: denied by no-secrets" in allowed


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"reason": "duplicate"}, "Denied by the agent: duplicate"),
        ({"reason": "approval", "decision_name": "ask"}, "Denied: approval for ask rejected or"),
        ({"reason": "limit"}, "Denied by a session limit"),
    ],
)
def test_a_denial_not_made_by_a_rule_is_never_labeled_allowed(pages, agent, fields, words):
    version = saved(agent, pre('{args.path: {contains: ".env"}}', rule_id="no-secrets"))
    denied = a_denied_item(policy_version=version, **fields)
    agent.post(denied)
    text = part(pages, "call-rules", denied["call_id"])
    assert words in text
    assert "Allowed" not in text


def test_a_call_without_a_contract_says_so_with_and_without_javascript(pages, agent):
    item = an_item()
    agent.post(item)
    text = pages.text("live/call-rules/", of=item["call_id"])
    assert "This call has no known contract." in text
    assert f"Rules evaluated for {item['call_id']}" in text
    link = re.search(r'href="([^"]*call-rules[^"]*)"', pages.get(f"calls/{item['call_id']}/").text)
    assert link is not None
    assert pages.client.get(html.unescape(link[1])).status_code == 200


def test_a_call_is_compared_with_the_previous_call_of_its_tool(pages, agent):
    first = an_item(tool_args={"id": 1}, output={"rows": [1, 2], "ok": True})
    last = an_item(tool_args={"id": 1}, output={"rows": [1, 3], "ok": True})
    agent.post(first, an_item(tool_name="other"), last)
    text = part(pages, "call-difference", last["call_id"])
    assert "Arguments the same" in text
    assert "\N{MINUS SIGN} before 2 + now 3" in text
    alone = pages.text("live/call-difference/", of=first["call_id"])
    assert "First call of this tool." in alone
    assert "Compare with the previous query call" in pages.call(last["call_id"])
    assert "Compare with the previous query call" not in pages.call(first["call_id"])


def test_attempts_of_one_call_link_to_each_other(pages, agent):
    failed = an_item(tool_args={"id": 1}, turn_id="t-1", output="Error: busy")
    worked = an_item(tool_args={"id": 1}, turn_id="t-1")
    later = an_item(tool_args={"id": 1}, turn_id="t-2")
    agent.post(failed, worked, later)
    text = pages.call(failed["call_id"])
    assert "Attempts 2 with the same arguments in turn t-1" in text
    assert f"calls/{worked['call_id']}/" in pages.get(f"calls/{failed['call_id']}/").text
    assert "Attempts" not in pages.call(later["call_id"])


def test_a_suggested_rule_for_an_output_can_be_opened_as_a_draft_by_an_editor(
    project, pages, agent
):
    item = an_item(tool_name="crm_update", output={"ok": False, "message": "conflict"})
    agent.post(item)
    assert "Create check" not in pages.call(item["call_id"])
    denied = a_denied_item()
    agent.post(denied)
    editor = builders.signed_in(builders.a_member(project, Role.EDITOR).user)
    theirs = Pages(editor, project.slug)
    assert "Create check" in theirs.call(item["call_id"])
    assert "No such output." in theirs.text("check-for-call/", of=denied["call_id"])
    page = theirs.get("check-for-call/", of=item["call_id"])
    assert "result.ok: {equals: false}" in html.unescape(page.text)
    match = re.search(r'name="text" value="([^"]*)"', page.text)
    assert match is not None
    begun = editor.post(f"{theirs.base}/checks/new/", {"text": html.unescape(match[1])})
    assert begun.status_code == 302
    assert "crm-update" in text_of(editor.get(begun["Location"]))


def test_a_retry_in_another_turn_links_to_the_first_attempt_and_back(pages, agent):
    first = an_item(turn_id="t-1", tool_args={"id": 1})
    again = an_item(turn_id="t-2", tool_args={"id": 1}, parent_call_id=first["call_id"])
    agent.post(first, again, an_item(turn_id="t-3", tool_args={"id": 1}))
    for item, other in ((first, again), (again, first)):
        assert "Attempts 2 with the same arguments 1 " in pages.call(item["call_id"])
        assert f"/calls/{other['call_id']}/" in pages.get(f"calls/{item['call_id']}/").text


def test_a_retry_with_other_arguments_links_to_the_first_attempt_and_back(
    pages, agent, django_assert_max_num_queries
):
    first = an_item(call_id="ry-1", turn_id="t-1", tool_args={"id": 1}, output="Error: busy")
    named = [
        an_item(call_id=f"ry-{n}", turn_id="t-1", tool_args={"id": n}, parent_call_id=f"ry-{n - 1}")
        for n in (2, 3)
    ]
    alone = an_item(turn_id="t-1", tool_args={"id": 4})
    elsewhere = an_item(turn_id="t-1", tool_name="other", parent_call_id="ry-3")
    agent.post(first, *named, alone, elsewhere)
    calls = {"ry-1", "ry-2", "ry-3"}
    for call_id in calls:
        assert "Attempts 3 with changed arguments in turn t-1" in pages.call(call_id)
        with django_assert_max_num_queries(12):
            assert attempts_linked(pages, call_id) == calls - {call_id}
    for item in (alone, elsewhere):
        assert "Attempts" not in pages.call(item["call_id"])


def test_retries_that_name_a_call_are_searched_only_among_its_nearest_of_the_tool(pages, agent):
    many = [an_item(call_id=f"n-{n}", tool_args={"id": n}) for n in range(60)]
    many[30]["parent_call_id"], many[59]["parent_call_id"] = "n-29", "n-0"
    agent.post(*many)
    assert attempts_linked(pages, "n-29") == {"n-30"}
    assert attempts_linked(pages, "n-0") == set()


def attempts_linked(pages, call_id: str) -> set[str]:
    page = pages.get(f"calls/{call_id}/").text
    attempts = page.partition('id="call-attempts"')[2].partition("</section>")[0]
    return set(re.findall(r'href="[^"]*/calls/([^/"]+)/', attempts))

"""The approvals page, and pending approvals on the pages of sessions and calls."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from governance.approvals import commands as approvals_commands
from governance.approvals.commands import expire_approvals
from governance.core.actor import CONSOLE
from governance.core.approval_status import OnTimeout
from governance.core.roles import Role
from governance.models import Approval, AuditEntry
from outcomes.approvals.words import left_words
from tests import builders
from tests.governance.approvals.builders import an_approval, moved, ran_out
from tests.outcomes.approvals.deciding import articles, decide
from tests.outcomes.pages import Pages, an_item, text_of

SECRET = "tok-4711"


@pytest.fixture
def operator(project) -> Pages:
    member = builders.a_member(project, Role.OPERATOR)
    seen = Pages(builders.signed_in(member.user), project.slug)
    seen.get("sessions/")
    return seen


def asks(agent, approval: Approval, call_id: str = "c-1", **fields: object) -> None:
    """The event that the SDK sends after the request."""
    event = builders.an_event(
        "call_asked",
        call_id,
        agent_id=approval.agent_id,
        tool_name=approval.tool_name,
        tool_args=dict(approval.raw_arguments()),
        run_id=approval.session_id or "s-1",
        decision_name="large-charge-asks",
        decision_source="yaml_precondition",
        timestamp=(approval.created_at + timedelta(milliseconds=40)).isoformat(),
    )
    agent.post(event | fields, to="events")


def test_a_page_without_approvals_has_an_empty_state(pages):
    text = pages.text("approvals/")
    assert text.count("No approvals pending") == 2  # the headline, and the empty list
    assert "No decisions yet" in text


def test_a_pending_approval_lists_the_requester_the_arguments_and_the_time_left(project, pages):
    moved(an_approval(project, tool_args={"account": "A-2091"}), seconds=221)
    text = pages.text("approvals/")
    assert re.search(r"A charge over 1,000 takes a person expires in 1 min \d+ s ", text)
    assert "payments_charge by billing-bot" in text
    assert 'account "A-2091"' in text
    assert re.search(r"1 min \d+ s left then denied", text)


def test_an_approval_that_runs_on_timeout_says_so(project, pages):
    an_approval(project, on_timeout=OnTimeout.ALLOW)
    text = pages.text("approvals/")
    assert "A charge over 1,000 takes a person runs in" in text
    assert "left then it runs" in text


def test_approvals_are_sorted_by_expiry(project, pages):
    last, first, middle = (an_approval(project, timeout_s=n) for n in (900, 60, 300))
    assert articles(pages) == [first.code, middle.code, last.code]
    assert ", 2 more pending" in pages.text("approvals/")


def test_secrets_are_masked_everywhere_on_the_page(project, pages):
    an_approval(project, tool_args={"card_token": SECRET, "command": f"x --password={SECRET}"})
    response = pages.get("approvals/")
    assert SECRET not in response.content.decode()
    text = pages.text("approvals/")
    assert "card_token masked" in text
    assert '"x --password=[masked]"' in text


def test_opening_the_arguments_as_an_operator_is_audited(project, operator):
    approval = an_approval(project, tool_args={"card_token": SECRET, "note": "\0\ud800ü"})
    answer = operator.client.post(f"{operator.base}/approvals/{approval.code}/arguments/")
    assert answer.status_code == 200
    assert SECRET in answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"]
    assert AuditEntry.objects.get().action == "arguments opened"


def test_a_viewer_sees_pending_approvals_but_can_neither_decide_nor_open_them(project, pages):
    approval = an_approval(project)
    body = pages.get("approvals/").content.decode()
    assert "You need the operator role to decide." in body
    assert "Approve" not in body
    assert "arguments/" not in body
    assert decide(pages, approval, "approve").status_code == 403
    approval.refresh_from_db()
    assert approval.status == "pending"


def test_the_rule_appears_with_call_and_session_once_the_event_arrives(project, pages, agent):
    version = builders.deployed(builders.a_version(project, name="billing"))
    approval = an_approval(project)
    assert "rule not reported yet" in pages.text("approvals/")
    asks(agent, approval, policy_version=version.revision_hash)
    text = pages.text("approvals/")
    assert "rule large-charge-asks of billing v1 · call · session s-1" in text
    assert f"{pages.base}/calls/c-1/" in pages.get("approvals/").content.decode()


def test_parallel_calls_of_one_tool_are_each_linked_to_their_own_approval(project, pages, agent):
    first, second = (an_approval(project, tool_args={"to": to}) for to in ("a", "b"))
    asks(agent, second, "c-b")
    asks(agent, first, "c-a")
    body = pages.get("approvals/").content.decode()
    shown = re.findall(r'id="asks-(\w+)".*?/calls/(c-\w)/', body, re.DOTALL)
    assert shown == [(first.code, "c-a"), (second.code, "c-b")]


@pytest.mark.parametrize(("decision", "word"), [("approve", "approved"), ("reject", "rejected")])
def test_a_decision_made_in_the_list_appears_in_the_history(project, operator, decision, word):
    approval = an_approval(project)
    answer = decide(operator, approval, decision, reason="seen by phone")
    assert answer.redirect_chain[-1][0] == f"{operator.base}/approvals/"
    assert "billing-bot gets the answer in 5 s" in text_of(answer)
    assert "No decisions yet" in text_of(answer)
    approval.refresh_from_db()
    moved(approval, seconds=6)
    text = operator.text("approvals/")
    assert "No approvals pending" in text
    assert f"{word} A charge over 1,000 takes a person payments_charge" in text
    assert f"account A-2091, number 0 billing-bot {approval.decided_by} seen by phone" in text


def test_a_late_decision_is_rejected_with_an_explanation(project, operator):
    decided = approvals_commands.decide(an_approval(project), approve=False, by=CONSOLE)
    assert "console already rejected this" in decide(operator, decided, "approve").content.decode()
    late = ran_out(project)
    assert "This approval expired" in decide(operator, late, "approve").content.decode()
    assert set(Approval.objects.values_list("status", flat=True)) <= {"denied", "pending"}


def test_a_form_without_a_decision_changes_nothing(project, operator):
    approval = an_approval(project)
    assert "Choose Approve or Reject." in decide(operator, approval, "").content.decode()
    assert articles(operator) == [approval.code]


def test_an_expired_approval_is_listed_as_expired_before_the_cleanup_job_runs(project, pages):
    ran_out(project)
    ran_out(project, on_timeout=OnTimeout.ALLOW)
    text = pages.text("approvals/")
    assert "2 in the last 24 hours: 0 approved, 0 rejected, 2 expired" in text
    assert "no decision in time, the agent ran it" in text
    expire_approvals()
    assert pages.text("approvals/") == text


def test_the_history_is_paginated(project, pages):
    for _ in range(60):
        ran_out(project)
    seen, path = [], "approvals/"
    while path:
        body = pages.get(path).content.decode()
        seen.append(body.count('class="tag is-timeout"'))
        path = pages.links(path).get("next", "").removeprefix(f"{pages.base}/")
    assert seen == [25, 25, 10]


def test_a_decision_redirects_back_only_within_the_project(project, operator, agent):
    agent.post(an_item("s-1"))
    inside = f"{operator.base}/sessions/s-1/?environment=production"
    answer = decide(operator, an_approval(project), "approve", back=inside)
    assert answer.redirect_chain[0][0] == inside
    for outside in ("https://example.test/", "//example.test/", "/p/other/approvals/"):
        answer = decide(operator, an_approval(project), "approve", back=outside)
        assert answer.redirect_chain[0][0] == f"{operator.base}/approvals/"


def test_an_approval_of_another_project_is_404(operator):
    other = an_approval(builders.a_project())
    assert decide(operator, other, "approve").status_code == 404
    assert articles(operator) == []


def test_the_page_respects_its_scope(project, pages):
    an_approval(project)
    staging = an_approval(project, env="staging", agent_id="other-bot")
    assert articles(pages, environment="staging") == [staging.code]
    assert articles(pages, agent="other-bot") == [staging.code]
    ran_out(project)
    assert "no decision in time" in pages.text("approvals/", range="24h")
    assert "no decision in time" not in pages.text("approvals/", range="24h", environment="staging")
    assert "no decision in time" not in pages.text("approvals/", to="2026-01-01T00:00Z")


def test_the_live_section_responds_only_after_a_change(project, pages, agent):
    approval = an_approval(project)

    def live() -> str:
        body = pages.get("approvals/").content.decode()
        (address,) = re.findall(r'id="waiting" data-live hx-get="([^"]+)"', body)
        return str(address).replace("&amp;", "&")

    address = live().removeprefix(f"{pages.base}/")
    assert pages.get(address).status_code == 204
    asks(agent, approval)
    changed = pages.get(address)
    assert changed.status_code == 200
    assert "large-charge-asks" in changed.content.decode()
    approvals_commands.decide(approval, approve=True, by=CONSOLE)
    fresh = pages.text(live().removeprefix(f"{pages.base}/")[:-8])
    assert "No approvals pending" in fresh
    # The response also contains the list of decisions.
    assert "approved A charge over 1,000" in fresh


def test_the_session_page_lists_its_pending_approvals(project, operator, agent):
    agent.post(an_item("s-1"), an_item("s-2"))
    here, _ = an_approval(project), an_approval(project, session_id="s-2")
    assert articles(operator, "sessions/s-1/") == [here.code]
    answer = decide(operator, here, "approve", back=f"{operator.base}/sessions/s-1/")
    assert "gets the answer in 5 s" in text_of(answer)
    assert articles(operator, "sessions/s-1/") == []


def test_an_approval_on_the_session_page_names_its_rule(project, pages, agent):
    asks(agent, an_approval(project))
    assert "rule large-charge-asks · call · requested" in pages.text("sessions/s-1/")
    alone = pages.text("live/approvals/", of="s-1", environment="production")
    assert "rule large-charge-asks · call · requested" in alone


def test_the_call_page_states_the_decision_and_by_whom(project, pages, agent):
    approval = an_approval(project, tool_args={"to": "a"})
    approvals_commands.decide(
        an_approval(project, tool_args={"to": "b"}), approve=False, by=CONSOLE
    )
    asks(agent, approval)
    assert "Pending until" in pages.call("c-1")
    approvals_commands.decide(approval, approve=True, reason="seen by phone", by=CONSOLE)
    text = pages.call("c-1")
    assert "Approved by console" in text
    assert "seen by phone" in text
    assert "Rejected" not in text


def test_a_call_does_not_list_the_approval_of_another_call(project, pages, agent):
    other = an_approval(project, tool_args={"to": "b"})
    asks(agent, other, tool_args={"to": "a"})
    assert "All approvals" not in pages.call("c-1")


def test_the_navigation_counts_pending_approvals(project, pages):
    an_approval(project)
    ran_out(project)
    entries = [entry for group in pages.get("sessions/").context["nav"] for entry in group]
    (entry,) = [entry for entry in entries if entry["name"] == "Approvals"]
    assert (entry["count"], entry["filled"]) == (1, True)


@pytest.mark.parametrize("path", ["approvals/", "sessions/s-1/", "calls/c-1/", "live/approvals/"])
def test_a_full_page_uses_at_most_15_queries(
    project, pages, agent, path, django_assert_max_num_queries
):
    agent.post(an_item("s-1"))
    for number in range(8):
        asks(agent, an_approval(project), f"c-{number}")
        approvals_commands.decide(an_approval(project), approve=True, by=CONSOLE)
    with django_assert_max_num_queries(15):
        pages.get(path)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min 0 s"),
        (79, "1 min 19 s"),
        (3_599, "59 min 59 s"),
        (3_600, "1 h 0 min"),
        (86_399, "23 h 59 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_time_left_is_stated_in_two_units(seconds, words):
    assert left_words(seconds) == words


def test_a_session_with_a_pending_approval_has_not_ended(project, agent, pages):
    long_ago = (timezone.now() - timedelta(minutes=9)).isoformat()
    for name in ("s-1", "other"):
        agent.post(an_item(name, timestamp=long_ago))
    an_approval(project, session_id="s-1", timeout_s=3_600)
    text = pages.text("sessions/")
    assert "2 sessions, none hit a limit · 1 waiting for approval" in text
    assert "Waiting 1" in text
    assert "Ended 1" in text
    assert len(pages.rows("sessions/", state="waiting")) == 1
    assert len(pages.rows("sessions/", state="ended")) == 1
    assert "s-1 is waiting for approval: 1 call so far" in pages.text("sessions/s-1/")
    approvals_commands.decide(Approval.objects.get(), approve=True, by=CONSOLE)
    assert "Waiting" not in pages.text("sessions/")


def test_a_recent_session_with_a_pending_approval_is_waiting_and_not_running(project, agent, pages):
    agent.post(an_item("s-1"))
    an_approval(project, session_id="s-1")
    assert "1 session, none hit a limit · 1 waiting for approval" in pages.text("sessions/")
    assert pages.rows("sessions/", state="running") == []


def test_an_approval_without_a_session_id_is_matched_to_a_session_by_its_call(
    project, agent, pages, django_assert_max_num_queries
):
    approval = moved(an_approval(project, session_id="", timeout_s=3_600), minutes=8)
    asks(agent, approval, run_id="old-sdk")
    an_approval(project, session_id="told", timeout_s=3_600)
    with django_assert_max_num_queries(15):
        assert "Waiting 1" in pages.text("sessions/")
    with django_assert_max_num_queries(15):
        assert "is waiting for approval: 1 call so far" in pages.text("sessions/old-sdk/")


def test_an_approval_in_another_environment_does_not_affect_the_session(project, agent, pages):
    long_ago = (timezone.now() - timedelta(minutes=9)).isoformat()
    agent.post(an_item("s-1", timestamp=long_ago))
    an_approval(project, session_id="s-1", env="staging")
    assert "1 session, none hit a limit" in pages.text("sessions/")


def test_long_arguments_are_folded_so_that_the_decision_stays_visible(project, operator):
    long, short = "a long text " * 60, "b" * 200
    many = {f"argument_{number}": number for number in range(9)}
    an_approval(project, tool_args={"body": long, "to": short} | many, message="why " * 200)
    body = operator.get("approvals/").content.decode()
    folds = re.findall(r"<details class=\"folded\">(.*?)</details>", body, re.DOTALL)
    assert len(folds) == 3
    message, text, others = folds
    assert "why why" in message
    assert long[:700] in text
    assert "show all" in text
    assert "show all 11 arguments" in others
    assert "argument_8" in others
    assert short not in "".join(folds)
    before = body.partition("argument_3")[0]
    assert before.count("<dt>") == 6, "the first ones show without a click"

"""Commands on approvals: asked, folded, decided, run out, opened."""

from datetime import timedelta
from typing import Any

import pytest

from governance.approvals.commands import current, decide, expire_approvals, open_arguments
from governance.approvals.queries import ApprovalFilter, approvals_before
from governance.audit_log import verify
from governance.core.actor import person
from governance.core.approval_status import Status
from governance.core.errors import Conflict, Forbidden, InvalidInput
from governance.core.roles import Role
from governance.models import Approval, AuditEntry
from tests.governance.approvals.builders import an_approval, moved, ran_out

OPERATOR = person(0, "operator@example.test", Role.OPERATOR)
VIEWER = person(0, "viewer@example.test", Role.VIEWER)
SAME: dict[str, Any] = {"tool_args": {"account": "A-1"}}


def actions() -> list[str]:
    return [entry.action for entry in AuditEntry.objects.order_by("number")]


def test_a_request_waits_until_its_timeout(project):
    approval = an_approval(project, timeout_s=90)
    assert approval.standing is Status.PENDING
    assert approval.ends_at == approval.expires_at == approval.created_at + timedelta(seconds=90)
    assert actions() == []


def test_a_request_that_is_sent_again_is_folded_into_the_one_that_waits(project):
    first = an_approval(project, **SAME)
    assert an_approval(project, **SAME) == first
    assert Approval.objects.count() == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"agent_id": "other"},
        {"session_id": "s-2"},
        {"tool_args": {"account": "A-2"}},
        {"message": "m"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_request_that_differs_waits_for_itself(project, changed):
    first = an_approval(project, **SAME)
    assert an_approval(project, **SAME | changed) != first


def test_the_same_request_from_another_environment_waits_for_itself(project):
    assert an_approval(project, **SAME) != an_approval(project, env="staging", **SAME)


def test_the_same_request_once_more_later_is_asked_anew(project):
    first = moved(an_approval(project, **SAME), seconds=101)
    assert an_approval(project, **SAME) != first


def test_the_same_request_after_the_decision_is_asked_anew(project):
    first = decide(an_approval(project, **SAME), approve=False, by=OPERATOR)
    assert an_approval(project, **SAME) != first


@pytest.mark.parametrize(("approve", "status"), [(True, "approved"), (False, "denied")])
def test_a_decision_is_kept_with_who_when_and_why_and_audited(project, approve, status):
    approval = decide(an_approval(project), approve=approve, reason=" seen by phone ", by=OPERATOR)
    approval.refresh_from_db()
    assert (approval.status, approval.standing) == (status, status)
    assert (approval.decided_by, approval.reason) == ("operator@example.test", "seen by phone")
    assert approval.decided_at == approval.ends_at < approval.expires_at
    entry = AuditEntry.objects.get()
    assert entry.action == f"approval {'granted' if approve else 'rejected'}"
    assert entry.details["reason"] == "seen by phone"
    assert verify(project) is None


def test_the_arguments_are_nowhere_in_the_audit_log(project):
    approval = an_approval(project, tool_args={"token": "tok-4711"})
    open_arguments(approval, by=OPERATOR)
    decide(approval, approve=True, by=OPERATOR)
    assert not any("tok-4711" in repr(vars(entry)) for entry in AuditEntry.objects.all())


def test_a_second_decision_is_refused_and_says_whose_the_first_was(project):
    approval = an_approval(project)
    decide(approval, approve=True, by=OPERATOR)
    with pytest.raises(Conflict, match=r"operator@example\.test approved") as refused:
        decide(approval, approve=False, by=OPERATOR)
    assert refused.value.code == "decided"
    assert actions() == ["approval granted"]


def test_a_decision_after_the_end_is_refused(project):
    with pytest.raises(Conflict, match="Nobody decided in time") as refused:
        decide(ran_out(project), approve=True, by=OPERATOR)
    assert refused.value.code == "expired"
    assert Approval.objects.get().decided_by == ""


def test_a_viewer_neither_decides_nor_opens(project):
    approval = an_approval(project)
    with pytest.raises(Forbidden):
        decide(approval, approve=True, by=VIEWER)
    with pytest.raises(Forbidden):
        open_arguments(approval, by=VIEWER)
    assert actions() == []


@pytest.mark.parametrize("reason", ["x" * 2_001, "a\0"])
def test_a_reason_that_cannot_be_kept_is_refused(project, reason):
    with pytest.raises(InvalidInput):
        decide(an_approval(project), approve=True, reason=reason, by=OPERATOR)


def test_what_ran_out_is_noted_once_with_the_time_it_ran_out(project):
    approval = ran_out(project)
    waiting = an_approval(project)
    assert expire_approvals() == 1
    assert expire_approvals() == 0
    approval.refresh_from_db()
    assert (approval.status, approval.ends_at) == ("timeout", approval.expires_at)
    waiting.refresh_from_db()
    assert waiting.status == "pending"
    assert actions() == ["approval timed out"]
    assert AuditEntry.objects.get().actor == "console"


def test_whoever_asks_for_what_ran_out_has_it_noted(project):
    approval = ran_out(project)
    assert current(approval).status == "timeout"
    assert current(approval).status == "timeout"
    assert actions() == ["approval timed out"]


def test_opened_arguments_are_those_that_came_and_the_opening_is_audited(project):
    arguments = {"card_token": "tok-4711", "note": "\0\ud800", "amount": 1240.0}
    approval = an_approval(project, tool_args=arguments)
    assert open_arguments(approval, by=OPERATOR) == arguments
    assert actions() == ["arguments opened"]


def test_lists_leave_the_raw_arguments_in_the_database(project):
    an_approval(project)
    (listed,) = approvals_before(
        project.pk, ApprovalFilter(), None, 10, Approval.objects.get().created_at
    )
    assert "arguments" in listed.get_deferred_fields()


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"tool_name": ""}, "tool_name"),
        ({"tool_name": "x" * 1_025}, "tool_name"),
        ({"tool_name": "a\0"}, "tool_name"),
        ({"agent_id": "x" * 129}, "agent_id"),
        ({"session_id": "\ud800"}, "session_id"),
        ({"timeout_s": 0}, "timeout"),
        ({"timeout_s": 2**40}, "timeout"),
        ({"tool_args": {"a": float("nan")}}, "tool_args"),
        ({"tool_args": {"a": "x" * 1_048_576}}, "tool_args"),
    ],
    ids=str,
)
def test_a_request_that_cannot_be_kept_is_refused_by_its_path(project, changed, path):
    with pytest.raises(InvalidInput) as refused:
        an_approval(project, **changed)
    assert [problem.path for problem in refused.value.errors] == [path]


def test_a_secret_that_the_rule_put_into_its_message_is_masked(project):
    approval = an_approval(project, message="run x --password=hunter22 on db?")
    assert approval.message == "run x --password=[masked] on db?"


def test_a_long_message_is_cut_and_an_odd_one_made_fit(project):
    approval = an_approval(project, message="a\0\ud800" + "x" * 5_000)
    approval.refresh_from_db()
    assert len(approval.message) == 4_096
    assert approval.message.startswith("a\N{REPLACEMENT CHARACTER}?x")
    assert approval.message.endswith("…")

"""Commands on approvals: request, deduplicate, decide, undo, expire, open arguments."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from governance.approvals.commands import (
    LEAST_LEFT,
    UNDO,
    current,
    decide,
    expire_approvals,
    open_arguments,
    undo,
)
from governance.approvals.domain import amount_of, shown_arguments, unmentioned
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


def test_a_request_is_pending_until_its_timeout(project):
    approval = an_approval(project, timeout_s=90)
    assert approval.current_status is Status.PENDING
    assert approval.ends_at == approval.expires_at == approval.created_at + timedelta(seconds=90)
    assert actions() == []


def test_a_repeated_request_returns_the_pending_approval(project):
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
def test_a_different_request_creates_a_new_approval(project, changed):
    first = an_approval(project, **SAME)
    assert an_approval(project, **SAME | changed) != first


def test_the_same_request_in_another_environment_is_a_separate_approval(project):
    assert an_approval(project, **SAME) != an_approval(project, env="staging", **SAME)


def test_the_same_request_after_the_deduplication_window_is_a_new_approval(project):
    first = moved(an_approval(project, **SAME), seconds=101)
    assert an_approval(project, **SAME) != first


def test_the_same_request_after_the_decision_is_a_new_approval(project):
    first = decide(an_approval(project, **SAME), approve=False, by=OPERATOR)
    assert an_approval(project, **SAME) != first


@pytest.mark.parametrize(("approve", "status"), [(True, "approved"), (False, "denied")])
def test_a_decision_is_stored_with_author_time_and_reason_and_audited(project, approve, status):
    approval = decide(an_approval(project), approve=approve, reason=" seen by phone ", by=OPERATOR)
    approval.refresh_from_db()
    assert (approval.status, approval.current_status) == (status, status)
    assert (approval.decided_by, approval.reason) == ("operator@example.test", "seen by phone")
    assert approval.decided_at == approval.ends_at < approval.expires_at
    entry = AuditEntry.objects.get()
    assert entry.action == f"approval {'granted' if approve else 'rejected'}"
    assert entry.details["reason"] == "seen by phone"
    assert verify(project) is None


def test_arguments_are_not_in_the_audit_log(project):
    approval = an_approval(project, tool_args={"token": "tok-4711"})
    open_arguments(approval, by=OPERATOR)
    decide(approval, approve=True, by=OPERATOR)
    assert not any("tok-4711" in repr(vars(entry)) for entry in AuditEntry.objects.all())


def test_a_second_decision_is_rejected_and_names_who_decided_first(project):
    approval = an_approval(project)
    decide(approval, approve=True, by=OPERATOR)
    with pytest.raises(Conflict, match=r"operator@example\.test already approved") as refused:
        decide(approval, approve=False, by=OPERATOR)
    assert refused.value.code == "decided"
    assert actions() == ["approval granted"]


def test_a_decision_on_an_expired_approval_is_rejected(project):
    with pytest.raises(Conflict, match="This approval expired") as refused:
        decide(ran_out(project), approve=True, by=OPERATOR)
    assert refused.value.code == "expired"
    assert Approval.objects.get().decided_by == ""


def test_a_viewer_can_neither_decide_nor_open_arguments(project):
    approval = an_approval(project)
    with pytest.raises(Forbidden):
        decide(approval, approve=True, by=VIEWER)
    with pytest.raises(Forbidden):
        open_arguments(approval, by=VIEWER)
    assert actions() == []


@pytest.mark.parametrize("reason", ["x" * 2_001, "a\0"])
def test_an_invalid_reason_is_rejected(project, reason):
    with pytest.raises(InvalidInput):
        decide(an_approval(project), approve=True, reason=reason, by=OPERATOR)


def test_an_expiry_is_recorded_once_with_its_timeout(project):
    approval = ran_out(project)
    waiting = an_approval(project)
    assert expire_approvals() == 1
    assert expire_approvals() == 0
    approval.refresh_from_db()
    assert (approval.status, approval.ends_at) == ("timeout", approval.expires_at)
    waiting.refresh_from_db()
    assert waiting.status == "pending"
    assert actions() == ["approval expired"]
    assert AuditEntry.objects.get().actor == "console"


def test_reading_an_expired_approval_records_its_expiry_once(project):
    approval = ran_out(project)
    assert current(approval).status == "timeout"
    assert current(approval).status == "timeout"
    assert actions() == ["approval expired"]


def test_opening_arguments_returns_the_originals_and_is_audited(project):
    arguments = {"card_token": "tok-4711", "note": "\0\ud800", "amount": 1240.0}
    approval = an_approval(project, tool_args=arguments)
    assert open_arguments(approval, by=OPERATOR) == arguments
    assert actions() == ["arguments opened"]


def test_lists_do_not_load_raw_arguments(project):
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
def test_an_invalid_request_is_rejected_with_its_path(project, changed, path):
    with pytest.raises(InvalidInput) as refused:
        an_approval(project, **changed)
    assert [problem.path for problem in refused.value.errors] == [path]


def test_a_secret_in_a_rules_message_is_masked(project):
    approval = an_approval(project, message="run x --password=hunter22 on db?")
    assert approval.message == "run x --password=[masked] on db?"


def test_a_long_message_is_truncated_and_invalid_characters_are_replaced(project):
    approval = an_approval(project, message="a\0\ud800" + "x" * 5_000)
    approval.refresh_from_db()
    assert len(approval.message) == 4_096
    assert approval.message.startswith("a\N{REPLACEMENT CHARACTER}?x")
    assert approval.message.endswith("…")


def on_page(approval, *, approve=True):
    return decide(approval, approve=approve, by=OPERATOR, with_undo=True)


def in_database(approval):
    return Approval.objects.get(pk=approval.pk)


def test_an_undoable_decision_takes_effect_after_five_seconds_without_a_job(project):
    approval = on_page(an_approval(project))
    assert current(in_database(approval)).current_status is Status.PENDING
    assert approval.ends_at - timezone.now() <= UNDO
    moved(approval, seconds=2)
    assert current(in_database(approval)).current_status is Status.PENDING
    moved(approval, seconds=3)
    assert current(in_database(approval)).current_status is Status.APPROVED


def test_an_undone_decision_is_pending_until_its_original_timeout_and_audited(project):
    approval = on_page(an_approval(project))
    undone = undo(approval, by=OPERATOR)
    assert (undone.current_status, undone.decided_by) == (Status.PENDING, "")
    assert undone.ends_at == undone.expires_at
    assert actions() == ["approval granted", "approval decision undone"]
    assert decide(undone, approve=False, by=OPERATOR).current_status is Status.DENIED


def test_a_decision_already_in_effect_cannot_be_undone(project):
    approval = on_page(an_approval(project))
    moved(approval, seconds=5)
    current(in_database(approval))
    with pytest.raises(Conflict, match="can't be undone"):
        undo(approval, by=OPERATOR)
    with pytest.raises(Conflict):
        undo(an_approval(project), by=OPERATOR)  # not decided


def test_a_decision_close_to_the_timeout_takes_effect_immediately(project):
    approval = on_page(moved(an_approval(project), seconds=291))
    assert approval.current_status is Status.APPROVED
    later = on_page(moved(an_approval(project), seconds=280))
    assert later.current_status is Status.PENDING
    assert later.ends_at <= later.expires_at - (LEAST_LEFT - UNDO)


def test_an_undoable_decision_blocks_other_decisions(project):
    approval = on_page(an_approval(project))
    with pytest.raises(Conflict, match="already approved this"):
        decide(approval, approve=False, by=OPERATOR)


def test_a_request_repeated_during_the_undo_window_returns_the_same_approval(project):
    first = an_approval(project, **SAME)
    on_page(first)
    assert an_approval(project, **SAME) == first


def test_a_viewer_cannot_undo(project):
    approval = on_page(an_approval(project))
    with pytest.raises(Forbidden):
        undo(approval, by=VIEWER)


@pytest.mark.parametrize(
    ("arguments", "amount"),
    [
        ({"amount": 1240.5, "currency": "EUR"}, "1,240.50 EUR"),
        ({"refund_amount": 2312}, "2,312"),
        ({"total": True}, None),
        ({"amount": "12"}, None),
        ({"amount": 5, "currency": "euros"}, "5"),
        ({"account": "A-1"}, None),
    ],
)
def test_an_amount_is_a_numeric_argument_with_an_amount_name(arguments, amount):
    shown = amount_of(shown_arguments(arguments))
    assert (shown and str(shown)) == amount


def test_arguments_that_the_message_mentions_are_not_repeated():
    arguments = shown_arguments(
        {"account": "A-1", "amount": 1240.0, "note": "x" * 99, "password": "p"}
    )
    assert unmentioned("Refund 1,240.00 to A-1", arguments) == []
    assert unmentioned("Refund over 1,240.005 to A-12", arguments) == [
        "account A-1",
        "amount 1240.0",
    ]

"""Concurrent decisions, expiries and requests, each on its own connection."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from governance.approvals.commands import current, decide, expire_approvals, undo
from governance.audit_log import verify
from governance.core.actor import person
from governance.core.errors import Conflict
from governance.core.roles import Role
from governance.models import Approval, AuditEntry
from tests import builders
from tests.governance.approvals.builders import an_approval

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 12


def together(*works: Callable[[], object]) -> list[object]:
    """Results or conflicts of all functions, started at the same moment."""
    start = threading.Barrier(len(works))
    result: list[object] = [None] * len(works)

    def run(place: int, work: Callable[[], object]) -> None:
        try:
            start.wait(20)
            result[place] = work()
        except Conflict as refused:
            result[place] = refused
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return result


def operator(name: str):
    return person(0, f"{name}@example.test", Role.OPERATOR)


def test_exactly_one_of_two_concurrent_decisions_wins():
    project = builders.a_project()
    for _ in range(ROUNDS):
        approval = an_approval(project)

        def deciding(name: str, *, approve: bool, approval=approval):
            return decide(approval, approve=approve, by=operator(name))

        result = together(
            lambda: deciding("one", approve=True), lambda: deciding("two", approve=False)
        )
        (winner,) = [each for each in result if isinstance(each, Approval)]
        (loser,) = [each for each in result if isinstance(each, Conflict)]
        approval.refresh_from_db()
        assert (approval.status, approval.decided_by) == (winner.status, winner.decided_by)
        assert winner.decided_by in str(loser)
    assert AuditEntry.objects.count() == ROUNDS
    assert verify(project) is None


def test_an_approval_decided_as_it_expires_ends_once():
    project = builders.a_project()
    for n in range(ROUNDS):
        approval = an_approval(project)
        # Spread around this moment: some expire before the decision, some after.
        ends_at = timezone.now() + timedelta(milliseconds=4 * n)
        Approval.objects.filter(pk=approval.pk).update(ends_at=ends_at)
        approval.refresh_from_db()

        def deciding(approval=approval):
            return decide(approval, approve=True, by=operator("one"))

        def polling(approval=approval) -> list[str]:
            return [current(approval).status for _ in range(20)]

        decided, seen, _, _ = together(
            deciding,
            polling,
            expire_approvals,
            expire_approvals,
        )
        row = current(Approval.objects.get(pk=approval.pk))
        assert isinstance(seen, list)
        # No poll returned a final status other than the stored one.
        assert set(seen) <= {"pending", row.status}
        if isinstance(decided, Approval):
            assert (row.status, row.decided_by) == ("approved", "one@example.test")
            assert row.ends_at < ends_at
        elif ends_at <= timezone.now():
            assert (row.status, row.decided_by) == ("timeout", "")
    assert AuditEntry.objects.count() == ROUNDS
    assert verify(project) is None


def test_concurrent_identical_requests_create_one_approval():
    project = builders.a_project()
    builders.an_environment(project)
    for n in range(ROUNDS):
        same = {"tool_args": {"number": n}}
        made = together(*[lambda same=same: an_approval(project, **same)] * 4)
        assert len({each.code for each in made if isinstance(each, Approval)}) == 1
        assert Approval.objects.count() == n + 1


def test_an_undo_racing_a_poll_either_wins_or_conflicts():
    project = builders.a_project()
    for n in range(ROUNDS):
        approval = decide(an_approval(project), approve=True, by=operator("one"), with_undo=True)
        # Spread around this moment: some decisions take effect before the undo, some after.
        ends_at = timezone.now() + timedelta(milliseconds=4 * n)
        Approval.objects.filter(pk=approval.pk).update(ends_at=ends_at)

        def undoing(approval=approval):
            return undo(approval, by=operator("two"))

        def polling(approval=approval) -> list[str]:
            rows = (current(Approval.objects.get(pk=approval.pk)) for _ in range(20))
            return [row.current_status for row in rows]

        undone, seen = together(undoing, polling)
        assert isinstance(seen, list)
        if isinstance(undone, Approval):
            assert set(seen) == {"pending"}
        else:
            assert isinstance(undone, Conflict)
            assert Approval.objects.get(pk=approval.pk).status == "approved"

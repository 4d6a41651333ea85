"""Blocked deployments, overrides by an admin, and rolling back."""

import pytest

from governance.contracts.queries.contracts import live_in
from governance.core.actor import CONSOLE
from governance.core.deployment_requests import Required
from governance.core.errors import Conflict, Forbidden, InvalidInput
from governance.core.roles import Role
from governance.deployments import requirements
from governance.deployments.commands.deployments import deploy, roll_back
from governance.deployments.commands.requests import approve_request, ask_to_deploy
from governance.models import AuditEntry, Deployment, Environment
from governance.people.commands.requirements import require
from governance.people.policies import RoleNeeded
from governance.people.queries.projects import required_in
from tests import builders
from tests.governance.deploying import (
    PRODUCTION,
    a_failing_test,
    a_request,
    approved,
    evidence,
    live,
    now_live,
    saved,
    somebody,
    takes_two,
)


def needs_backtest(project, monkeypatch, newly_denied, *, most=0):
    required = Required(max_newly_denied=most)
    require(project, env=PRODUCTION, required=required, by=CONSOLE)
    items = []

    def evidence_of(project, environment, revision_hash):
        items.append((environment, revision_hash))
        return None if newly_denied is None else evidence(newly_denied)

    monkeypatch.setattr(requirements, "evidence_of", evidence_of)
    return items


def live_number(version, env=PRODUCTION):
    deployment = live_in(version.bundle, env)
    return deployment.version.number if deployment else None


def test_a_deployment_blocked_by_a_failing_test_stores_nothing(project):
    version = saved(project)
    words = a_failing_test(version)
    with pytest.raises(Conflict, match=words) as refused:
        deploy(version, to="staging", by=somebody())
    assert refused.value.code == "tests_failing"
    assert [each.path for each in refused.value.errors] == ["tests_failing"]
    assert not Deployment.objects.exists()
    assert not Environment.objects.filter(name="staging").exists()


def test_an_admin_can_override_failing_tests_and_the_reason_is_stored(project):
    version = saved(project)
    a_failing_test(version)
    deployment, _ = deploy(
        version, to=PRODUCTION, by=somebody(role=Role.ADMIN), override=" The test is old. "
    )
    assert deployment.override == "The test is old."
    (entry,) = AuditEntry.objects.filter(action="contract deployed")
    assert entry.details["override"] == "The test is old."


def test_an_editor_cannot_override_failing_tests(project):
    a_failing_test(saved(project))
    with pytest.raises(RoleNeeded, match="need the admin role"):
        deploy(saved(project), to=PRODUCTION, by=somebody(), override="because")


def test_an_unneeded_reason_is_not_stored(project):
    by = somebody(role=Role.ADMIN)
    deployment, _ = deploy(saved(project), to=PRODUCTION, by=by, override="in case")
    assert deployment.override == ""


@pytest.mark.parametrize("reason", ["x" * 2_001, "a\0b"])
def test_an_invalid_override_reason_is_rejected(project, reason):
    with pytest.raises(InvalidInput):
        deploy(saved(project), to=PRODUCTION, by=somebody(role=Role.ADMIN), override=reason)


@pytest.mark.parametrize(
    ("newly_denied", "code"), [(None, "backtest_required"), (4, "backtest_denies")]
)
def test_a_deployment_without_a_passing_required_backtest_is_rejected(
    project, monkeypatch, newly_denied, code
):
    version = saved(project)
    result = needs_backtest(project, monkeypatch, newly_denied, most=3)
    with pytest.raises(Conflict) as refused:
        deploy(version, to=PRODUCTION, by=somebody(role=Role.ADMIN), override="now")
    assert refused.value.code == code
    assert set(result) == {(PRODUCTION, version.revision_hash)}


def test_a_backtest_within_the_limit_allows_the_deployment(project, monkeypatch):
    version = saved(project)
    needs_backtest(project, monkeypatch, 3, most=3)
    deploy(version, to=PRODUCTION, by=somebody())
    assert live_number(version) == 1


def test_requirements_apply_to_one_environment_only(project, monkeypatch):
    version = saved(project)
    needs_backtest(project, monkeypatch, None)
    deploy(version, to="staging", by=somebody())
    assert live_number(version, "staging") == 1


def test_a_deployment_that_requires_approval_cannot_be_made_directly(project):
    version = saved(project)
    takes_two(project)
    with pytest.raises(Conflict, match="second person") as refused:
        deploy(version, to=PRODUCTION, by=somebody(role=Role.ADMIN))
    assert refused.value.code == "approval_required"
    assert live_number(version) is None


def test_redeploying_the_live_version_requires_no_approval(project, monkeypatch):
    version = live(saved(project))
    takes_two(project)
    assert deploy(version, to=PRODUCTION, by=somebody())[1] is False


def test_a_rollback_restores_the_previous_version_and_is_audited(project):
    first = live(saved(project, "first"))
    second = live(saved(project, "second"))
    back = roll_back(now_live(second), by=somebody())
    assert (back.version.number, live_number(first)) == (1, 1)
    row = list(AuditEntry.objects.order_by("-number").values_list("action", flat=True)[:2])
    assert row == ["contract deployed", "contract rolled back"]


def test_failing_tests_do_not_block_a_rollback(project):
    first = live(saved(project, "first"))
    second = live(saved(project, "second"))
    a_failing_test(first)
    roll_back(now_live(second), by=somebody())
    assert live_number(second) == 1


def test_a_rollback_to_an_unapproved_version_requires_approval(project):
    first = live(saved(project, "first"))
    second = live(saved(project, "second"))
    takes_two(project)
    with pytest.raises(Conflict) as refused:
        roll_back(now_live(second), by=somebody(role=Role.ADMIN))
    assert (refused.value.code, live_number(first)) == ("approval_required", 2)
    a_failing_test(first)  # rollback to a version that just ran requires no tests
    body, _ = ask_to_deploy(first, to=PRODUCTION, by=somebody())
    approve_request(body, by=somebody("two"))
    assert live_number(first) == 1


def test_a_rollback_to_an_approved_version_needs_no_second_person(project):
    approved(saved(project, "first"))
    second = approved(saved(project, "second"))
    alone = somebody("three")
    roll_back(now_live(second), by=alone)
    assert live_number(second) == 1
    roll_back(now_live(second), by=alone)  # and forward again: both were approved
    roll_back(now_live(second), by=alone)
    assert live_number(second) == 1


def test_approval_in_one_environment_does_not_count_in_another(project):
    first = approved(saved(project, "first"), "staging")
    live(first)
    second = live(saved(project, "second"))
    takes_two(project)
    with pytest.raises(Conflict) as refused:
        roll_back(now_live(second), by=somebody())
    assert refused.value.code == "approval_required"


def test_a_rollback_requires_a_backtest_of_the_restored_version(project, monkeypatch):
    first = live(saved(project, "first"))
    second = live(saved(project, "second"))
    result = needs_backtest(project, monkeypatch, None)
    with pytest.raises(Conflict) as refused:
        roll_back(now_live(second), by=somebody())
    assert (refused.value.code, live_number(first)) == ("backtest_required", 2)
    assert result == [(PRODUCTION, first.revision_hash)]
    needs_backtest(project, monkeypatch, 0)
    roll_back(now_live(second), by=somebody())
    assert live_number(first) == 1


def test_a_deployment_that_was_replaced_cannot_be_rolled_back(project):
    live(saved(project, "first"))
    old = now_live(live(saved(project, "second")))
    third = live(saved(project, "third"))
    with pytest.raises(Conflict) as refused:
        roll_back(old, by=somebody())
    assert refused.value.code == "moved_on"
    assert live_number(third) == 3


def test_the_first_deployment_cannot_be_rolled_back(project):
    version = live(saved(project))
    with pytest.raises(Conflict) as refused:
        roll_back(now_live(version), by=somebody())
    assert refused.value.code == "nothing_before"


def test_a_rollback_affects_one_environment_only(project):
    first, second = saved(project, "first"), saved(project, "second")
    for env in (PRODUCTION, "staging"):
        live(first, env)
        live(second, env)
    roll_back(now_live(second), by=somebody())
    assert (live_number(first), live_number(first, "staging")) == (1, 2)


def test_a_rollback_voids_the_pending_request_of_its_environment(project):
    approved(saved(project, "first"))
    approved(saved(project, "second"))
    version = saved(project, "third")
    request = a_request(version)
    roll_back(now_live(version), by=somebody())
    request.refresh_from_db()
    assert (request.status, request.reason) == ("void", "v1 was deployed.")


def test_an_operator_cannot_roll_back(project):
    live(saved(project, "first"))
    version = live(saved(project, "second"))
    with pytest.raises(Forbidden):
        roll_back(now_live(version), by=somebody(role=Role.OPERATOR))


def test_only_an_admin_can_set_deployment_requirements_and_they_are_audited(project):
    required = Required(second_person=True, max_newly_denied=10)
    admin = somebody(role=Role.ADMIN)
    require(project, env=PRODUCTION, required=required, by=admin)
    require(project, env=PRODUCTION, required=required, by=admin)  # no change
    assert required_in(project, PRODUCTION) == required
    (entry,) = AuditEntry.objects.all()
    assert (entry.action, entry.subject) == ("deployment requirements set", PRODUCTION)
    assert entry.details["was"] == {"second_person": False, "max_newly_denied": None}
    with pytest.raises(RoleNeeded):
        require(project, env=PRODUCTION, required=Required(), by=somebody())
    with pytest.raises(InvalidInput):
        require(project, env=PRODUCTION, required=Required(max_newly_denied=-1), by=admin)


def test_requirements_of_another_project_do_not_apply(project):
    takes_two(builders.a_project())
    version = saved(project)
    deploy(version, to=PRODUCTION, by=somebody())
    assert live_number(version) == 1

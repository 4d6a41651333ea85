"""Approval by a second person: who can approve, what voids a request, and how requests end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.contracts.queries.requests import waiting_requests
from governance.core.actor import CONSOLE
from governance.core.errors import Conflict, Forbidden, InvalidInput
from governance.core.roles import Role
from governance.deployments.commands import requests
from governance.deployments.commands.requests import (
    approve_request,
    ask_to_deploy,
    refuse_request,
    withdraw_request,
)
from governance.deployments.queries import ended_requests, requests_before
from governance.models import AuditEntry, Deployment, DeploymentRequest
from governance.people.auth import resolve_key
from governance.people.commands.keys import keep_bootstrap_key
from governance.people.domain import new_key
from governance.tasks import expire_requests
from tests.governance.deploying import (
    PRODUCTION,
    a_failing_test,
    a_manage_key,
    a_request,
    expired,
    live,
    saved,
    somebody,
    takes_two,
)


def audited():
    return list(AuditEntry.objects.order_by("number").values_list("action", flat=True))


def status_of(request):
    request.refresh_from_db()
    return request.status


def test_an_approval_deploys_exactly_the_requested_version(project):
    version = saved(project)
    request = a_request(version, by=somebody("one"))
    approve_request(request, by=somebody("two"))
    deployment = Deployment.objects.get()
    assert (deployment.version, deployment.environment.name) == (version, PRODUCTION)
    assert (deployment.author, deployment.approved_by) == (
        "person:one@example.test",
        "person:two@example.test",
    )
    assert status_of(request) == "approved"
    assert request.deployment == deployment
    assert audited()[-3:] == [
        "deployment requested",
        "deployment request approved",
        "contract deployed",
    ]


def test_the_requester_can_neither_approve_nor_reject(project):
    request = a_request(saved(project), by=somebody("one"))
    for decide in (
        lambda: approve_request(request, by=somebody("one", Role.ADMIN)),
        lambda: refuse_request(request, reason="no", by=somebody("one")),
    ):
        with pytest.raises(Forbidden) as refused:
            decide()
        assert refused.value.code == "second_person"
    assert status_of(request) == "pending"


def test_a_request_by_a_key_cannot_be_approved_by_the_keys_creator(project):
    key = a_manage_key(project, made_by="one")
    another = a_manage_key(project, made_by="one")
    request = a_request(saved(project), by=key)
    for who in (key, another, somebody("one", Role.ADMIN)):
        with pytest.raises(Forbidden):
            approve_request(request, by=who)
    approve_request(request, by=somebody("two"))
    assert status_of(request) == "approved"


def test_the_requesters_own_key_cannot_approve(project):
    request = a_request(saved(project), by=somebody("one"))
    with pytest.raises(Forbidden):
        approve_request(request, by=a_manage_key(project, made_by="one"))
    approve_request(request, by=a_manage_key(project, made_by="two"))
    assert status_of(request) == "approved"


def test_the_creator_of_a_key_can_withdraw_its_request(project):
    request = a_request(saved(project), by=a_manage_key(project, made_by="one"))
    with pytest.raises(Forbidden):
        withdraw_request(request, by=a_manage_key(project, made_by="two"))
    withdraw_request(request, by=somebody("one"))
    assert status_of(request) == "withdrawn"


def test_a_console_request_can_be_approved_by_any_person_but_not_by_the_console(project):
    request = a_request(saved(project), by=CONSOLE)
    with pytest.raises(Forbidden):
        approve_request(request, by=CONSOLE)
    approve_request(request, by=somebody("two"))
    assert status_of(request) == "approved"


def test_a_bootstrap_key_can_request_and_withdraw_but_not_approve(project):
    text = new_key(PRODUCTION)
    keep_bootstrap_key(project, text)
    access = resolve_key(f"Bearer {text}")
    assert access is not None
    bootstrap = access.actor
    request = a_request(saved(project, "one"), by=somebody("one"))
    for decide in (
        lambda: approve_request(request, by=bootstrap),
        lambda: refuse_request(request, reason="no", by=bootstrap),
    ):
        with pytest.raises(Forbidden) as refused:
            decide()
        assert refused.value.code == "second_person"
    with pytest.raises(Forbidden):
        withdraw_request(request, by=bootstrap)
    approve_request(request, by=somebody("two"))
    own = a_request(saved(project, "two"), by=bootstrap)
    withdraw_request(own, by=bootstrap)
    assert status_of(own) == "withdrawn"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_only_a_role_that_can_deploy_can_request_or_approve(project, role):
    request = a_request(saved(project))
    with pytest.raises(Forbidden):
        approve_request(request, by=somebody("two", role))
    with pytest.raises(Forbidden):
        ask_to_deploy(saved(project, "x"), to=PRODUCTION, by=somebody("two", role))


def test_a_newer_version_voids_a_pending_request(project):
    request = a_request(saved(project, "one"))
    saved(project, "two")
    assert (status_of(request), request.reason) == ("void", "v2 was saved.")
    with pytest.raises(Conflict, match="v2 was saved") as refused:
        approve_request(request, by=somebody("two"))
    assert refused.value.code == "void"
    assert not Deployment.objects.exists()


def test_saving_the_same_bytes_does_not_void_a_request(project):
    request = a_request(saved(project, "one"))
    saved(project, "one")
    assert status_of(request) == "pending"


def test_changes_to_other_contracts_and_environments_do_not_void_a_request(project):
    takes_two(project, "staging")
    version = saved(project, "one")
    here = a_request(version)
    there, _ = ask_to_deploy(version, to="staging", by=somebody())
    saved(project, "two", name="other")
    approve_request(here, by=somebody("two"))
    assert (status_of(here), status_of(there)) == ("approved", "pending")


def test_repeating_a_request_returns_the_pending_one(project):
    version = saved(project)
    request = a_request(version)
    again, is_new = ask_to_deploy(version, to=PRODUCTION, by=somebody("two"))
    assert (again.pk, is_new) == (request.pk, False)


def test_requesting_another_version_voids_the_pending_request(project):
    first, second = saved(project, "one"), saved(project, "two")
    request = a_request(second)
    other, is_new = ask_to_deploy(first, to=PRODUCTION, by=somebody())
    assert (status_of(request), is_new, status_of(other)) == ("void", True, "pending")


def test_a_request_is_rejected_if_the_environment_requires_no_approval(project):
    version = saved(project)
    with pytest.raises(Conflict) as refused:
        ask_to_deploy(version, to=PRODUCTION, by=somebody())
    assert refused.value.code == "not_required"


def test_a_deployed_version_cannot_be_requested(project):
    version = live(saved(project))
    takes_two(project)
    with pytest.raises(Conflict) as refused:
        ask_to_deploy(version, to=PRODUCTION, by=somebody())
    assert refused.value.code == "live"


def test_a_rejection_requires_a_reason_and_stores_it(project):
    request = a_request(saved(project))
    with pytest.raises(InvalidInput):
        refuse_request(request, reason="  ", by=somebody("two"))
    refuse_request(request, reason="Not on a Friday.", by=somebody("two"))
    assert (status_of(request), request.reason) == ("refused", "Not on a Friday.")
    with pytest.raises(Conflict) as refused:
        approve_request(request, by=somebody("three"))
    assert refused.value.code == "decided"


def test_only_the_requester_can_withdraw_a_request(project):
    request = a_request(saved(project), by=somebody("one"))
    with pytest.raises(Forbidden):
        withdraw_request(request, by=somebody("two"))
    withdraw_request(request, by=somebody("one"))
    assert status_of(request) == "withdrawn"
    assert audited()[-1] == "deployment request withdrawn"


def test_a_request_expires_after_a_week_and_the_expiry_is_recorded(project):
    request = a_request(saved(project))
    assert request.expires_at - request.created_at == timedelta(days=7)
    requests.expire_requests()
    assert status_of(request) == "pending"
    expired(request)
    with pytest.raises(Conflict) as refused:
        approve_request(request, by=somebody("two"))
    assert refused.value.code == "expired"
    expire_requests()
    expire_requests()
    assert status_of(request) == "expired"
    assert audited().count("deployment request expired") == 1
    assert waiting_requests(project) == []


def test_a_version_can_be_requested_again_after_an_expiry(project):
    version = saved(project)
    request = expired(a_request(version))
    again, is_new = ask_to_deploy(version, to=PRODUCTION, by=somebody())
    assert (is_new, status_of(request), status_of(again)) == (True, "expired", "pending")


def test_a_failed_approval_leaves_the_request_pending(project):
    request = a_request(saved(project))
    words = a_failing_test(request.version)
    with pytest.raises(Conflict, match=words):
        approve_request(request, by=somebody("two"))
    assert status_of(request) == "pending"
    assert not Deployment.objects.exists()


def test_an_admins_override_reason_is_stored_with_the_request(project):
    version = saved(project)
    a_failing_test(version)
    takes_two(project)
    with pytest.raises(Conflict):
        ask_to_deploy(version, to=PRODUCTION, by=somebody())
    request, _ = ask_to_deploy(
        version, to=PRODUCTION, by=somebody("one", Role.ADMIN), override="The test is old."
    )
    approve_request(request, by=somebody("two"))
    assert Deployment.objects.get().override == "The test is old."


def test_requests_are_listed_by_status(project):
    version = saved(project)
    request = a_request(version)
    assert [each.pk for each in waiting_requests(project)] == [request.pk]
    refuse_request(request, reason="no", by=somebody("two"))
    assert waiting_requests(project, bundle=version.bundle) == []
    assert [each.pk for each in ended_requests(project, None, 10)] == [request.pk]
    for status, number in (("refused", 1), ("pending", 0), ("expired", 0), ("void", 0)):
        assert len(requests_before(project, None, 10, status=status)) == number
    assert not requests_before(project, request.pk, 10)
    ended_at = DeploymentRequest.objects.get().ended_at
    assert ended_at is not None
    assert ended_at < timezone.now()

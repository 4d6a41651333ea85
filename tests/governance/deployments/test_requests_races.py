"""Concurrent approvals and requests, each on its own connection."""

import pytest

from governance.audit_log import verify
from governance.core.errors import Conflict
from governance.deployments.commands.requests import approve_request, ask_to_deploy, refuse_request
from governance.models import AuditEntry, Deployment, DeploymentRequest
from tests import builders
from tests.governance.approvals.test_approvals_races import together
from tests.governance.deploying import PRODUCTION, a_request, saved, somebody, takes_two

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 8


def test_one_of_two_concurrent_approvals_deploys():
    project = builders.a_project()
    for n in range(ROUNDS):
        request = a_request(saved(project, f"no {n}"), by=somebody("one"))

        def approving(name, request=request):
            return approve_request(request, by=somebody(name))

        result = together(lambda: approving("two"), lambda: approving("three"))
        (refused,) = [each for each in result if isinstance(each, Conflict)]
        assert refused.code == "decided"
        assert Deployment.objects.count() == n + 1
    assert verify(project) is None


def test_a_concurrent_approval_and_rejection_have_one_winner():
    project = builders.a_project()
    for n in range(ROUNDS):
        request = a_request(saved(project, f"no {n}"), by=somebody("one"))

        def approving(request=request):
            return approve_request(request, by=somebody("two"))

        def refusing(request=request):
            return refuse_request(request, reason="no", by=somebody("three"))

        deployed = Deployment.objects.count()
        together(approving, refusing)
        request.refresh_from_db()
        gone_live = Deployment.objects.count() - deployed
        assert (request.status, gone_live) in {("approved", 1), ("refused", 0)}
    assert verify(project) is None


def test_a_save_racing_an_approval_either_voids_the_request_or_follows_it():
    project = builders.a_project()
    for n in range(ROUNDS):
        request = a_request(saved(project, f"no {n}"), by=somebody("one"))

        def approving(request=request):
            return approve_request(request, by=somebody("two"))

        def saving(n=n):
            return saved(project, f"another {n}")

        deployed = Deployment.objects.count()
        together(approving, saving)
        request.refresh_from_db()
        gone_live = Deployment.objects.count() - deployed
        assert (request.status, gone_live) in {("approved", 1), ("void", 0)}
    assert verify(project) is None


def test_concurrent_requests_create_one_pending_request():
    project = builders.a_project()
    takes_two(project)
    for n in range(ROUNDS):
        version = saved(project, f"no {n}")

        def asking(name, version=version):
            return ask_to_deploy(version, to=PRODUCTION, by=somebody(name))[1]

        made = together(lambda: asking("one"), lambda: asking("two"), lambda: asking("three"))
        assert made.count(True) == 1
        assert DeploymentRequest.objects.filter(status="pending").count() == 1
    assert AuditEntry.objects.filter(action="deployment requested").count() == ROUNDS

"""Deploying over HTTP: what environments require, a second person's leave, and the way back."""

from typing import Any

from ninja import Query, Router, Status

from governance.contracts.api.contracts import named_bundle, named_version
from governance.contracts.queries.contracts import (
    deployments_before,
    live_deployments,
    live_in,
)
from governance.contracts.schemas.contracts import (
    DeploymentIn,
    DeploymentOut,
    DeploymentsOut,
    DeploymentsQuery,
    deployment_out,
)
from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import NotFound
from governance.deployments.commands import deployments, requests
from governance.deployments.commands.deployments import deploy
from governance.deployments.commands.requests import approve_request, refuse_request
from governance.deployments.queries import plan_of, request_numbered, requests_before
from governance.deployments.schemas import (
    EnvironmentsOut,
    PlanOut,
    PlanQuery,
    RequestDecisionIn,
    RequestIn,
    RequestOut,
    RequestsOut,
    RequestsQuery,
    RequirementsIn,
    RequirementsOut,
    RollbackIn,
    plan_out,
    request_out,
    required_out,
)
from governance.models import DeploymentRequest
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.commands.requirements import require
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered, requirements_by_environment

router = Router(tags=["deployments"])
CAN_READ = KeyOrMember("read")
CAN_DEPLOY = KeyOrMember(action=Action.DEPLOY)


@router.get("/environments", response=EnvironmentsOut, auth=CAN_READ)
def list_environments(request: AccessRequest) -> dict[str, Any]:
    project = project_numbered(request.auth.project_id)
    requirements = requirements_by_environment(project)
    return {
        "environments": [
            {"name": name, "requirements": required_out(required)}
            for name, required in requirements.items()
        ]
    }


@router.put(
    "/environments/{name}/requirements",
    response=RequirementsOut,
    auth=KeyOrMember(action=Action.MANAGE_SETTINGS),
)
def set_requirements(request: AccessRequest, name: str, body: RequirementsIn) -> dict[str, Any]:
    project = project_numbered(request.auth.project_id)
    required = require(project, env=name, required=body.required(), by=request.auth.actor)
    return required_out(required)


@router.get("/contracts/{name}/deployment-plan", response=PlanOut, auth=CAN_READ)
def get_deployment_plan(
    request: AccessRequest, name: str, page: Query[PlanQuery]
) -> dict[str, Any]:
    """Plan of the newest version, unless another is named."""
    return plan_out(plan_of(named_version(named_bundle(request, name), page.version), page.env))


@router.post(
    "/contracts/{name}/rollbacks",
    response={201: DeploymentOut},
    auth=CAN_DEPLOY,
    openapi_extra=MAY_CONFLICT,
)
def roll_back_contract(
    request: AccessRequest, name: str, body: RollbackIn
) -> Status[dict[str, Any]]:
    """Deploy again the version that was live there before."""
    bundle = named_bundle(request, name)
    live = live_in(bundle, body.env)
    if live is None:
        raise NotFound(f"No version of {bundle.name} is deployed there.")
    deployment = deployments.roll_back(live, by=request.auth.actor)
    return Status(201, deployment_out(deployment, live=True))


@router.post(
    "/contracts/{name}/deployment-requests",
    response={201: RequestOut, 200: RequestOut},
    auth=CAN_DEPLOY,
    openapi_extra=MAY_CONFLICT,
)
def request_deployment(
    request: AccessRequest, name: str, body: RequestIn
) -> Status[dict[str, Any]]:
    row, is_new = requests.ask_to_deploy(
        named_version(named_bundle(request, name), body.version),
        to=body.env,
        by=request.auth.actor,
        message=body.message,
        override=body.override,
    )
    return Status(201 if is_new else 200, request_out(row))


@router.get("/deployment-requests", response=RequestsOut, auth=CAN_READ)
def list_deployment_requests(request: AccessRequest, page: Query[RequestsQuery]) -> dict[str, Any]:
    rows = requests_before(
        project_numbered(request.auth.project_id),
        page.cursor,
        page.limit + 1,
        status=page.status,
        environment=page.env,
        bundle=page.name,
    )
    shown = rows[: page.limit]
    return {
        "requests": [request_out(each) for each in shown],
        "next": str(shown[-1].pk) if len(rows) > len(shown) else None,
    }


@router.get("/deployment-requests/{int:request_id}", response=RequestOut, auth=CAN_READ)
def get_deployment_request(request: AccessRequest, request_id: int) -> dict[str, Any]:
    return request_out(_request(request, request_id))


@router.post(
    "/deployment-requests/{int:request_id}/decision",
    response=RequestOut,
    auth=CAN_DEPLOY,
    openapi_extra=MAY_CONFLICT,
)
def decide_deployment_request(
    request: AccessRequest, request_id: int, body: RequestDecisionIn
) -> dict[str, Any]:
    row, by = _request(request, request_id), request.auth.actor
    if body.decision == "approve":
        return request_out(approve_request(row, by=by))
    return request_out(refuse_request(row, reason=body.reason, by=by))


@router.delete(
    "/deployment-requests/{int:request_id}",
    response=RequestOut,
    auth=CAN_DEPLOY,
    openapi_extra=MAY_CONFLICT,
)
def withdraw_deployment_request(request: AccessRequest, request_id: int) -> dict[str, Any]:
    return request_out(
        requests.withdraw_request(_request(request, request_id), by=request.auth.actor)
    )


def _request(request: AccessRequest, number: int) -> DeploymentRequest:
    project = project_numbered(request.auth.project_id)
    row = request_numbered(project, number) if number < 2**63 else None
    if row is None:
        raise NotFound("Request not found.")
    return row


@router.post(
    "/contracts/{name}/deployments",
    response={201: DeploymentOut, 200: DeploymentOut},
    auth=CAN_DEPLOY,
    openapi_extra=MAY_CONFLICT,
    tags=["contracts"],
)
def deploy_version(request: AccessRequest, name: str, body: DeploymentIn) -> Status[dict[str, Any]]:
    version = named_version(named_bundle(request, name), body.version)
    deployment, is_new = deploy(version, to=body.env, by=request.auth.actor, override=body.override)
    return Status(201 if is_new else 200, deployment_out(deployment, live=True))


@router.get(
    "/contracts/{name}/deployments", response=DeploymentsOut, auth=CAN_READ, tags=["contracts"]
)
def list_deployments(
    request: AccessRequest, name: str, page: Query[DeploymentsQuery]
) -> dict[str, Any]:
    bundle = named_bundle(request, name)
    deployments = deployments_before(bundle, page.cursor, page.limit + 1, environment=page.env)
    shown = deployments[: page.limit]
    live = {each.pk for each in live_deployments(bundle.project, [bundle.pk])}
    return {
        "deployments": [deployment_out(each, live=each.pk in live) for each in shown],
        "next": str(shown[-1].pk) if len(deployments) > len(shown) else None,
    }

"""Approvals over HTTP: agents ask and poll, members and manage keys list and decide."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from governance.approvals import commands as approvals_commands
from governance.approvals.commands import current
from governance.approvals.queries import ApprovalFilter, approval_coded, approvals_before
from governance.approvals.schemas import (
    ApprovalIn,
    ApprovalOut,
    ApprovalsOut,
    ApprovalsQuery,
    ApprovalStatusOut,
    DecisionIn,
    approval_out,
    approval_status_out,
)
from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import Forbidden, NotFound
from governance.models import Approval
from governance.people.auth import AGENT_HEADER, Access, AccessRequest, KeyAuth, KeyOrMember
from governance.people.domain import Scope
from governance.people.policies import Action

router = Router(tags=["approvals"])
STATUS_CODES = {201: ApprovalStatusOut, 200: ApprovalStatusOut}


@router.post("/approvals", response=STATUS_CODES, auth=KeyAuth("agent"))
def request_approval(request: AccessRequest, body: ApprovalIn) -> Status[dict[str, Any]]:
    header = _agent_named_by(request)
    call = body.request(header)
    if not request.auth.admits_agent(call.agent_id) or header not in ("", call.agent_id):
        raise Forbidden(
            f"This key cannot request approvals for the agent {call.agent_id}.", code="agent"
        )
    environment = request.auth.environment_id
    if environment is None:  # only a member's access is of no environment
        raise Forbidden(
            "Only an agent can request an approval. Send the header X-Edictum-Agent-Id.",
            code="scope",
        )
    approval, is_new = approvals_commands.ask(call, environment_id=environment)
    return Status(201 if is_new else 200, approval_status_out(approval))


@router.get("/approvals", response=ApprovalsOut, auth=KeyOrMember("read"))
def list_approvals(request: AccessRequest, page: Query[ApprovalsQuery]) -> dict[str, Any]:
    only = ApprovalFilter(status=page.status, agent_id=page.agent_id, environment=page.env)
    approvals = approvals_before(
        request.auth.project_id, only, page.cursor, page.limit + 1, timezone.now()
    )
    shown = approvals[: page.limit]
    return {
        "approvals": [approval_out(approval) for approval in shown],
        "next": str(shown[-1].pk) if len(approvals) > len(shown) else None,
    }


@router.get(
    "/approvals/{approval_id}",
    response=ApprovalOut | ApprovalStatusOut,
    auth=KeyAuth("agent", "read"),
)
def get_approval(request: AccessRequest, approval_id: str) -> dict[str, Any]:
    approval = approval_coded(request.auth.project_id, approval_id)
    if approval is None or not _may_see(request, request.auth, approval):
        raise NotFound("Approval not found.")
    approval = current(approval)
    reads = Scope.READ in request.auth.scopes
    return approval_out(approval) if reads else approval_status_out(approval)


@router.post(
    "/approvals/{approval_id}/decision",
    response=ApprovalOut,
    auth=KeyOrMember(action=Action.DECIDE_APPROVAL),
    openapi_extra=MAY_CONFLICT,
)
def decide_approval(request: AccessRequest, approval_id: str, body: DecisionIn) -> dict[str, Any]:
    approval = approval_coded(request.auth.project_id, approval_id)
    if approval is None:
        raise NotFound("Approval not found.")
    decided = approvals_commands.decide(
        approval,
        approve=body.decision == "approve",
        reason=body.reason,
        by=request.auth.actor,
    )
    return approval_out(decided)


def _may_see(request: HttpRequest, access: Access, approval: Approval) -> bool:
    """A key that reads sees the whole project; an agent's only what its own agent asked for."""
    if Scope.READ in access.scopes:
        return True
    return (
        approval.environment_id == access.environment_id
        and access.admits_agent(approval.agent_id)
        and _agent_named_by(request) in ("", approval.agent_id)
    )


def _agent_named_by(request: HttpRequest) -> str:
    return request.headers.get(AGENT_HEADER, "")

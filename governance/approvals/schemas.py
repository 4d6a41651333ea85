"""The shapes of approvals over HTTP: as agents ask and poll, and as others list and decide."""

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from governance.approvals.domain import Request
from governance.core.approval_status import OnTimeout, Status
from governance.models import Approval

# What the SDKs of all ages call it; the older ones say `deny`.
_ON_TIMEOUT = {"block": OnTimeout.BLOCK, "deny": OnTimeout.BLOCK, "allow": OnTimeout.ALLOW}
TimeoutWord = Literal["block", "deny", "allow"]
DEFAULT_TIMEOUT = 300


class ApprovalIn(Schema):
    agent_id: str | None = None
    tool_name: str
    tool_args: dict[str, Any] | None = None
    message: str | None = None
    timeout: int | None = None
    timeout_action: TimeoutWord | None = None
    timeout_effect: TimeoutWord | None = None
    session_id: str | None = None

    def request(self, agent_in_header: str) -> Request:
        word = self.timeout_action or self.timeout_effect or "block"
        return Request(
            agent_id=self.agent_id or agent_in_header or "unknown",
            tool_name=self.tool_name,
            tool_args=self.tool_args or {},
            message=self.message or "",
            session_id=self.session_id or "",
            timeout_s=DEFAULT_TIMEOUT if self.timeout is None else self.timeout,
            on_timeout=_ON_TIMEOUT[word],
        )


class DecisionIn(Schema):
    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "reject"]
    reason: str = ""


class ApprovalsQuery(Schema):
    status: Literal["", "pending", "approved", "denied", "timeout"] = ""
    agent_id: str = Field("", max_length=128, pattern=r"^[^\x00]*$")
    env: str = Field("", pattern=r"^[A-Za-z0-9._-]{0,128}$")
    limit: int = Field(50, ge=1, le=1_000)
    cursor: int | None = Field(None, ge=1, lt=2**63)


class ApprovalStatusOut(Schema):
    """Status of an approval, as a waiting agent polls it."""

    id: str
    status: Status
    decided_by: str | None
    reason: str | None  # Go looks here first
    decision_reason: str | None
    created_at: datetime
    expires_at: datetime


class ApprovalOut(ApprovalStatusOut):
    agent_id: str
    session_id: str | None
    tool_name: str
    arguments: dict[str, str]  # each value as JSON text, its secrets masked, cut
    message: str
    env: str
    timeout: int
    timeout_action: OnTimeout
    decided_at: datetime | None


class ApprovalsOut(Schema):
    approvals: list[ApprovalOut]
    next: str | None


def approval_status_out(approval: Approval) -> dict[str, Any]:
    """As long as a decision can be undone, the approval is pending."""
    status = approval.current_status
    is_decided = status is not Status.PENDING
    reason = (approval.reason or None) if is_decided else None
    return {
        "id": approval.code,
        "status": status,
        "decided_by": (approval.decided_by or None) if is_decided else None,
        "reason": reason,
        "decision_reason": reason,
        "created_at": approval.created_at,
        "expires_at": approval.expires_at,
    }


def approval_out(approval: Approval) -> dict[str, Any]:
    out = approval_status_out(approval)
    return out | {
        "agent_id": approval.agent_id,
        "session_id": approval.session_id or None,
        "tool_name": approval.tool_name,
        "arguments": {each.name: each.text for each in approval.shown_arguments()},
        "message": approval.message,
        "env": approval.environment.name,
        "timeout": approval.timeout_s,
        "timeout_action": approval.on_timeout,
        "decided_at": approval.decided_at if out["decided_by"] else None,
    }

"""Approvals of simulated agents: requested and decided over HTTP."""

from typing import Any

from edictum.approval import ApprovalDecision, ApprovalRequest, ApprovalStatus

from edictum_site.demo.clock import Clock
from edictum_site.demo.door import Door


class NobodyAnswered(Exception):
    """The simulated person has not decided yet, so the call stays pending."""


class Asking:
    """Approval backend for the SDK that requests and decides approvals over HTTP."""

    def __init__(self, agent: Door, person: Door, clock: Clock) -> None:
        self._agent, self._person, self._clock = agent, person, clock
        self.answer, self.reason = "approve", ""
        self.approved: list[dict[str, Any]] = []  # arguments
        self._arguments: dict[str, Any] = {}

    async def request_approval(
        self,
        tool_name: str,
        tool_args: dict[str, Any],
        message: str,
        *,
        timeout: int = 300,
        timeout_action: str = "block",
        principal: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> ApprovalRequest:
        body = {
            "tool_name": tool_name,
            "tool_args": tool_args,
            "message": message,
            "timeout": timeout,
            "timeout_action": timeout_action,
            "session_id": session_id,
        }
        created = self._agent.ask("POST", "approvals", body)
        self._arguments = tool_args
        return ApprovalRequest(
            approval_id=created["id"],
            tool_name=tool_name,
            tool_args=tool_args,
            message=message,
            timeout=timeout,
            session_id=session_id,
        )

    async def wait_for_decision(
        self,
        approval_id: str,
        timeout: int | None = None,
    ) -> ApprovalDecision:
        if not self.answer:
            raise NobodyAnswered
        decision = {"decision": self.answer, "reason": self.reason}
        self._person.ask("POST", f"approvals/{approval_id}/decision", decision)
        self._clock.pass_seconds(20)
        approval = self._agent.ask("GET", f"approvals/{approval_id}")
        approved = approval["status"] == "approved"
        if approved:
            self.approved.append(self._arguments)
        return ApprovalDecision(
            approved=approved,
            approver=approval.get("decided_by"),
            reason=approval.get("decision_reason"),
            status=ApprovalStatus.APPROVED if approved else ApprovalStatus.DENIED,
        )

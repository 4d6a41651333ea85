"""How a simulated agent asks a person, and how the simulated person answers: over HTTP, both."""

from typing import Any

from edictum.approval import ApprovalDecision, ApprovalRequest, ApprovalStatus

from edictum_site.demo.clock import Clock
from edictum_site.demo.door import Door


class NobodyAnswered(Exception):
    """The simulated person has not looked yet, and the agent stays as it is."""


class Asking:
    """An approval backend of the SDK."""

    def __init__(self, agent: Door, person: Door, clock: Clock) -> None:
        self._agent, self._person, self._clock = agent, person, clock
        self.answer, self.reason = "approve", ""

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
        asked = {
            "tool_name": tool_name,
            "tool_args": tool_args,
            "message": message,
            "timeout": timeout,
            "timeout_action": timeout_action,
            "session_id": session_id,
        }
        told = self._agent.ask("POST", "approvals", asked)
        return ApprovalRequest(
            approval_id=told["id"],
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
        told = self._agent.ask("GET", f"approvals/{approval_id}")
        approved = told["status"] == "approved"
        return ApprovalDecision(
            approved=approved,
            approver=told.get("decided_by"),
            reason=told.get("decision_reason"),
            status=ApprovalStatus.APPROVED if approved else ApprovalStatus.DENIED,
        )

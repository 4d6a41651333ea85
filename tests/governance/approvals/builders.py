"""Approvals for tests: requested as an agent does, and backdated where needed."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from governance.approvals.commands import ask
from governance.approvals.domain import Request
from governance.core.approval_status import OnTimeout
from governance.models import Approval, Project
from tests import builders

REQUEST: dict[str, Any] = {
    "agent_id": "billing-bot",
    "tool_name": "payments_charge",
    "tool_args": {"account": "A-2091", "amount": 1240.0, "card_token": "tok-4711"},
    "message": "A charge over 1,000 takes a person",
    "timeout": 300,
    "timeout_action": "block",
    "session_id": "s-1",
}


def an_approval(project: Project, *, env: str = "production", **changed: Any) -> Approval:
    """Create a pending approval with unique arguments, so that no two requests are merged."""
    fields: dict[str, Any] = {
        "agent_id": "billing-bot",
        "tool_name": "payments_charge",
        "tool_args": {"account": "A-2091", "number": Approval.objects.count()},
        "message": "A charge over 1,000 takes a person",
        "session_id": "s-1",
        "timeout_s": 300,
        "on_timeout": OnTimeout.BLOCK,
    }
    environment = builders.an_environment(project, env)
    request = Request(**fields | changed)
    return ask(request, environment_id=environment.pk)[0]


def moved(approval: Approval, **by: float) -> Approval:
    """Backdate an approval by this much: `moved(approval, minutes=10)`."""
    earlier = timedelta(**by)
    approval.created_at -= earlier
    approval.ends_at -= earlier
    approval.save(update_fields=["created_at", "ends_at"])
    return approval


def ran_out(project: Project, **changed: Any) -> Approval:
    approval = an_approval(project, **changed)
    return moved(approval, seconds=(approval.ends_at - timezone.now()).total_seconds() + 1)

"""Requests that the bundle left behind: what somebody would approve is not what was meant."""

from django.utils import timezone

from governance.audit_log import record
from governance.core.actor import Actor
from governance.core.deployment_requests import RequestStatus
from governance.models import Bundle, DeploymentRequest, Environment


def void_requests(
    bundle: Bundle,
    *,
    why: str,
    by: Actor,
    environment: Environment | None = None,
    beside: DeploymentRequest | None = None,
) -> None:
    """All that wait, or those of one environment; call it where the bundle is held."""
    waiting = DeploymentRequest.objects.filter(bundle=bundle, status=RequestStatus.PENDING)
    if environment is not None:
        waiting = waiting.filter(environment=environment)
    if beside is not None:
        waiting = waiting.exclude(pk=beside.pk)
    for request in waiting.select_related("version__bundle", "environment"):
        # Its time may have been over before.
        request.status = (
            RequestStatus.EXPIRED
            if request.standing is RequestStatus.EXPIRED
            else RequestStatus.VOID
        )
        request.reason = why if request.status == RequestStatus.VOID else ""
        request.ended_at = timezone.now()
        request.save(update_fields=["status", "reason", "ended_at"])
        record(
            by,
            f"deployment request {request.status}",
            str(request.version),
            project=bundle.project,
            details={"environment": request.environment.name, "why": request.reason},
        )

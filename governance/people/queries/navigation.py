"""Navigation counts, in one query."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection

from governance.core.approval_status import Status
from governance.core.deployment_requests import RequestStatus

# Raw SQL: every page runs it, and Django's ORM takes ten times as long to generate it.
_STATEMENT: Final = """
SELECT environment.name,
  (SELECT COUNT(*) FROM governance_approval AS approval
   WHERE approval.environment_id = environment.id
     AND approval.status = %s AND approval.ends_at > %s),
  (SELECT COUNT(*) FROM governance_finding AS finding
   WHERE finding.project_id = environment.project_id
     AND finding.resolved_at IS NULL AND finding.dismissed_at IS NULL
     AND (finding.snoozed_until IS NULL OR finding.snoozed_until <= %s)),
  (SELECT COUNT(*) FROM governance_deploymentrequest AS request
   JOIN governance_environment AS asked ON asked.id = request.environment_id
   WHERE asked.project_id = environment.project_id
     AND request.status = %s AND request.expires_at > %s),
  EXISTS (SELECT 1 FROM governance_deployment AS deployed
     JOIN governance_environment AS place ON place.id = deployed.environment_id
     WHERE place.project_id = environment.project_id)
    AND EXISTS (SELECT 1 FROM governance_checkbindings AS bindings
     WHERE bindings.project_id = environment.project_id AND bindings.revision > 0)
FROM governance_environment AS environment WHERE environment.project_id = %s
ORDER BY environment.name
"""


@dataclass(frozen=True, slots=True)
class Navigation:
    waiting: dict[str, int]  # pending approvals of every environment
    alerts: int  # open ones
    requests: int  # deployments pending approval by a second person
    begun: bool  # a contract is deployed and a success check is bound


def navigation(project_id: int, now: datetime) -> Navigation:
    """Navigation counts of a project; all 0 if it has no environment."""
    moment = connection.ops.adapt_datetimefield_value(now)
    pending = (Status.PENDING.value, moment, moment, RequestStatus.PENDING.value, moment)
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENT, [*pending, project_id])
        rows = cursor.fetchall()
    _, _, alerts, requests, is_begun = rows[0] if rows else ("", 0, 0, 0, False)
    names = {name: waiting for name, waiting, *_ in rows}
    return Navigation(names, alerts, requests, bool(is_begun))

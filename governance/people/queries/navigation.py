"""What every page shows beside its navigation, in one query."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection

from governance.core.approval_status import Status
from governance.core.deployment_requests import RequestStatus

# Written out: every page asks this, and Django takes ten times as long to write it.
_STATEMENT: Final = """
SELECT environment.name,
  (SELECT COUNT(*) FROM governance_approval AS approval
   WHERE approval.environment_id = environment.id
     AND approval.status = %s AND approval.ends_at > %s),
  (SELECT COUNT(*) FROM governance_finding AS finding
   WHERE finding.project_id = environment.project_id
     AND finding.resolved_at IS NULL AND finding.dismissed_at IS NULL),
  (SELECT COUNT(*) FROM governance_deploymentrequest AS request
   JOIN governance_environment AS asked ON asked.id = request.environment_id
   WHERE asked.project_id = environment.project_id
     AND request.status = %s AND request.expires_at > %s),
  EXISTS (SELECT 1 FROM governance_bundle WHERE project_id = environment.project_id)
    AND EXISTS (SELECT 1 FROM governance_check WHERE project_id = environment.project_id)
FROM governance_environment AS environment WHERE environment.project_id = %s
ORDER BY environment.name
"""


@dataclass(frozen=True, slots=True)
class Navigation:
    waiting: dict[str, int]  # approvals, by the names of all environments
    findings: int  # that are open
    requests: int  # deployments that wait for a second person
    begun: bool  # it has a contract and a success check of its own


def navigation(project_id: int, now: datetime) -> Navigation:
    """A project without an environment has no key either, and nothing to be noticed."""
    moment = connection.ops.adapt_datetimefield_value(now)
    pending = (Status.PENDING.value, moment, RequestStatus.PENDING.value, moment)
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENT, [*pending, project_id])
        told = cursor.fetchall()
    _, _, findings, requests, is_begun = told[0] if told else ("", 0, 0, 0, False)
    names = {name: waiting for name, waiting, *_ in told}
    return Navigation(names, findings, requests, bool(is_begun))

"""What every page shows beside its navigation, in one query."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from governance.models import Finding
from governance.queries.approvals import environments_with_waiting


@dataclass(frozen=True, slots=True)
class Navigation:
    waiting: dict[str, int]  # approvals, by the names of all environments
    findings: int  # that are open


def navigation(project_id: int, now: datetime) -> Navigation:
    """A project without an environment has no key either, and nothing to be noticed."""
    found = (
        Finding.objects.filter(project=OuterRef("project"), resolved_at=None, dismissed_at=None)
        .order_by()
        .values("project")
        .annotate(number=Count("id"))
        .values("number")
    )
    rows = environments_with_waiting(project_id, now).annotate(
        findings=Coalesce(Subquery(found), 0)
    )
    told = list(rows.values_list("name", "waiting", "findings"))
    return Navigation({name: waiting for name, waiting, _ in told}, told[0][2] if told else 0)

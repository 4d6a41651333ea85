"""Counts of spans that a project received, by day."""

from governance.models import Project
from outcomes.models import SpanTotal

DAYS = 90


def span_totals(project: Project, limit: int = DAYS) -> list[SpanTotal]:
    """Span counts of a project, newest day first."""
    rows = SpanTotal.objects.select_related("environment").filter(project=project)
    return list(rows.order_by("-day", "environment__name")[:limit])

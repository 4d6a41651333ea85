"""Whether anything has arrived in a project, for who waits for it."""

from outcomes.models import Call
from outcomes.queries.calls import with_names


def newest_outcome(project_id: int) -> Call | None:
    """Open calls count as well: something has arrived."""
    return with_names(Call.objects.filter(project=project_id)).order_by("-at", "-order").first()

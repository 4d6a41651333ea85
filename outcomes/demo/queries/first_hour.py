"""Whether anything has arrived in a project, for who waits for it."""

from outcomes.models import Call
from outcomes.record.selecting import with_names


def newest_calls(project_id: int, number: int) -> list[Call]:
    """Open calls count as well: something has arrived."""
    rows = with_names(Call.objects.filter(project=project_id)).order_by("-at", "-order")
    return list(rows[:number])

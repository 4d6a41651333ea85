"""What is suggested for a project's checks, and what of it somebody has dismissed."""

from collections.abc import Sequence
from typing import Final

from django.db import connection
from django.db.models import Max

from governance.checks.language.shipped.rows import Followed, followed
from outcomes.models import Event, Suggestion, SuggestionLook, Tool

SHOWN: Final = 200
AT_ONCE: Final = 20_000  # events that are read for the tools that they are about
_TOUCHED: Final = """
    SELECT DISTINCT c.tool_id FROM (
        SELECT environment_id, call_digest FROM outcomes_event
        WHERE project_id = %s AND id > %s AND id <= %s AND source = 'outcomes'
    ) e JOIN outcomes_call c ON c.environment_id = e.environment_id AND c.digest = e.call_digest
"""


def open_suggestions(project_id: int) -> list[Suggestion]:
    """Those with the most results first."""
    rows = Suggestion.objects.filter(project=project_id, dismissed_at=None)
    return list(rows.select_related("tool", "effect").order_by("-results", "id")[:SHOWN])


def suggestions_for(tool: Tool) -> list[Suggestion]:
    """The open ones of one tool."""
    found = list(Suggestion.objects.filter(tool=tool, dismissed_at=None).order_by("-results", "id"))
    for each in found:
        each.tool = tool  # nobody asks for it again
    return found


def looking_like_failures(project_id: int) -> dict[str, int]:
    """By tool: of its newest results that are judged success, how many have one known form of
    failure; of several forms the most frequent one."""
    rows = Suggestion.objects.filter(project=project_id, dismissed_at=None).order_by()
    return dict(rows.values_list("tool__name").annotate(Max("results")))


def number_of_open_suggestions(project_id: int) -> int:
    return Suggestion.objects.filter(project=project_id, dismissed_at=None).count()


def dismissed_suggestions(project_id: int) -> list[Suggestion]:
    """The one dismissed last first."""
    rows = Suggestion.objects.filter(project=project_id, dismissed_at__isnull=False)
    return list(rows.select_related("tool").order_by("-dismissed_at", "id")[:SHOWN])


def suggestion_numbered(project_id: int, number: int) -> Suggestion | None:
    rows = Suggestion.objects.filter(project=project_id, pk=number)
    return rows.select_related("tool", "project").first()


def look_of(project_id: int) -> SuggestionLook | None:
    return SuggestionLook.objects.filter(project=project_id).first()


def row_of(suggestion: Suggestion) -> Followed | None:
    """Of the shapes reference; none where the library of today has no such rule."""
    return followed(suggestion.check_name, suggestion.rule)


def newest_event(project_id: int) -> int:
    return Event.objects.filter(project=project_id).aggregate(newest=Max("id"))["newest"] or 0


def tools_touched(project_id: int, after: int, until: int) -> set[int]:
    """Of which results came with these events."""
    found: set[int] = set()
    with connection.cursor() as cursor:
        for start in _steps(project_id, after, until):
            cursor.execute(_TOUCHED, [project_id, *start])
            found |= {row[0] for row in cursor.fetchall()}
    return found


def all_tools(project_id: int) -> set[int]:
    return set(Tool.objects.filter(project=project_id).values_list("pk", flat=True))


def tool_names(tools: Sequence[int]) -> dict[int, str]:
    return dict(Tool.objects.filter(pk__in=tools).values_list("pk", "name"))


def _steps(project_id: int, after: int, until: int) -> list[tuple[int, int]]:
    """Ranges of ids that hold so many events of this project."""
    steps = []
    while after < until:
        ids = Event.objects.filter(project=project_id, id__gt=after, id__lte=until).order_by("id")
        end = ids.values_list("id", flat=True)[AT_ONCE - 1 : AT_ONCE].first() or until
        steps.append((after, end))
        after = end
    return steps

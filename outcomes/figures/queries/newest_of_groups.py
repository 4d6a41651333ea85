"""Time range of the newest calls of some groups, found through an index: it reads at most a page
of entries per group, however many calls the group has."""

from typing import Any, Final

from django.db.models import DateTimeField, QuerySet, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from outcomes.core.scope import BEGINNING
from outcomes.database import HAS_LATERAL
from outcomes.models import Call
from outcomes.record.codec import as_text, digest_of
from outcomes.stored.queries import CallFilter
from outcomes.web.paging import Place

# Time of the row that follows the page.
_CUT: Final = """
SELECT newest.at FROM outcomes_callgroup AS wanted CROSS JOIN LATERAL (
  SELECT at, "order" FROM outcomes_call
  WHERE group_id = wanted.id AND {those} ORDER BY at DESC, "order" DESC LIMIT {rows}
) AS newest
WHERE wanted.id IN ({groups}){whose} ORDER BY newest.at DESC, newest."order" DESC
OFFSET {size} LIMIT 1
"""
_ENVIRONMENT: Final = (
    "environment_id = (SELECT id FROM governance_environment WHERE project_id = %s AND name = %s)"
)
_WHOSE: Final = (
    " AND wanted.agent_id = (SELECT id FROM outcomes_agent WHERE project_id = %s AND digest = %s)"
)


def narrowed_to_newest(
    calls: QuerySet[Call], project_id: int, filters: CallFilter, size: int, before: Place | None
) -> QuerySet[Call]:
    """The same query, limited to the time range of its first page if an index supports the filter
    (similar denials); otherwise unchanged."""
    supported = CallFilter(
        environment=filters.environment,
        agent=filters.agent,
        rule=filters.rule,
        groups=filters.groups,
        since=filters.since,
        until=filters.until,
    )
    if not HAS_LATERAL or not filters.groups or filters != supported:
        return calls
    since = filters.since or BEGINNING
    those, values = ["at >= %s"], list[Any]([since])
    if filters.until is not None:
        those, values = [*those, "at < %s"], [*values, filters.until]
    if before is not None:
        those, values = [*those, '(at, "order") < (%s, %s)'], [*values, *before]
    if filters.environment:
        those, values = [*those, _ENVIRONMENT], [*values, project_id, as_text(filters.environment)]
    if filters.agent:
        values += [project_id, digest_of(filters.agent)]
    statement = _CUT.format(
        those=" AND ".join(those),
        rows=size + 1,
        size=size,
        groups=", ".join(str(int(number)) for number in sorted(filters.groups)),
        whose=_WHOSE if filters.agent else "",
    )
    at = DateTimeField()
    cut = RawSQL(statement, values, output_field=at)  # noqa: S611 - every value is passed apart
    return calls.filter(at__gte=Coalesce(cut, Value(since, output_field=at)))

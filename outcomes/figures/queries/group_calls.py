"""Facts about groups that only their calls can answer: first and last seen, returned after a gap,
and sessions that span a period."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from outcomes.core.groups import DENIED
from outcomes.core.scope import Scope
from outcomes.database.bulk import read_time
from outcomes.database.reading import reading
from outcomes.figures.queries.group_rollups import GroupReading
from outcomes.models import CallGroup
from outcomes.record.codec import as_text

GONE: Final = timedelta(hours=24)  # a group seen again after this gap counts as returned

_CALLS: Final = "FROM outcomes_call WHERE group_id = wanted.id"
_LISTED: Final = "(SELECT column1 AS id FROM (VALUES {}) AS listed) AS wanted"
_OLDEST, _NEWEST = 'ORDER BY at, "order" LIMIT 1', 'ORDER BY at DESC, "order" DESC LIMIT 1'
_SEEN: Final = """
SELECT wanted.id,
  (SELECT at {calls} {oldest}),
  (SELECT environment_id {calls} {oldest}),
  (SELECT at {calls} {newest}),
  (SELECT at {calls} AND at >= %s AND at < %s {oldest}),
  (SELECT at {calls} AND at < %s {newest})
FROM {wanted}
"""
_NEWEST_OF: Final = """
SELECT stored.group_id, stored.at, stored."order", bundle.name, version.number
FROM {wanted} CROSS JOIN outcomes_call AS stored
JOIN governance_bundleversion AS version ON version.id = stored.version_id
JOIN governance_bundle AS bundle ON bundle.id = version.bundle_id
WHERE stored.id = (SELECT id {calls} AND at >= %s AND at < %s {newest})
"""
# Reads only the few sessions that started before a period and continued after it.
_STRADDLING: Final = """
WITH around AS MATERIALIZED (
  SELECT id FROM outcomes_session WHERE project_id = %s AND last_at >= %s AND first_at < %s
)
SELECT wanted.id, COUNT(*) FROM {wanted} CROSS JOIN around
WHERE EXISTS (SELECT 1 {calls} AND at < %s)
  AND EXISTS (SELECT 1 {calls} AND at >= %s)
  AND NOT EXISTS (SELECT 1 {calls} AND at >= %s AND at < %s)
GROUP BY wanted.id
"""


@dataclass(frozen=True, slots=True)
class Seen:
    first: datetime
    environment: int  # of the first call
    last: datetime
    gone_since: datetime | None


def seen(reading: GroupReading, scope: Scope, groups: Sequence[int]) -> dict[int, Seen]:
    """First and last call of each group, by any agent in the reading's environment, and its last
    call before a gap."""
    there, place = _there(reading)
    since, until = scope.since, scope.until
    values = [*place, *place, *place, *place, since, until, *place, since]
    seen_groups = {}
    for number, first, environment, last, within, earlier in _rows(_SEEN, groups, values, there):
        if first is None:
            continue
        gone_since = None
        if within is not None and earlier is not None:
            before = read_time(earlier)
            gone_since = before if read_time(within) - before >= GONE else None
        seen_groups[number] = Seen(read_time(first), environment, read_time(last), gone_since)
    return seen_groups


class Governed(NamedTuple):
    """A call's group and position in time, and the contract version that governed it."""

    group: int
    at: datetime
    order: int
    contract: str
    version: int


def newest_governed(
    reading: GroupReading, scope: Scope, groups: Sequence[int]
) -> Iterable[Governed]:
    """Newest call of each group in the scope that ran under a known contract version."""
    there, place = _there(reading)
    values = [*place, scope.since, scope.until]
    rows = _rows(_NEWEST_OF, groups, values, there) if groups else []
    return [Governed(group, read_time(at), *rest) for group, at, *rest in rows]


def straddling(reading: GroupReading, scope: Scope, groups: Sequence[int]) -> dict[int, int]:
    """Number of sessions, by group, with calls before and after the scope but not in it."""
    there, place = _there(reading)
    if reading.agent is not None:
        there, place = f"{there} AND agent_id = %s", [*place, reading.agent]
    there += " AND session_id = around.id"
    since, until = scope.since, scope.until
    values = [reading.project, until, since]
    values += [*place, since, *place, until, *place, since, until]
    return dict(_rows(_STRADDLING, groups, values, there))


def _there(reading: GroupReading) -> tuple[str, list[Any]]:
    if not reading.environment:
        return "", []
    named = "SELECT id FROM governance_environment WHERE project_id = %s AND name = %s"
    return f" AND environment_id = ({named})", [reading.project, reading.environment]


def _rows(
    statement: str, groups: Sequence[int], values: Sequence[Any], there: str
) -> list[tuple[Any, ...]]:
    words = {
        "calls": _CALLS + there,
        "wanted": _LISTED.format(", ".join(f"({int(number)})" for number in groups)),
        "oldest": _OLDEST,
        "newest": _NEWEST,
    }
    adapt = reading().ops.adapt_datetimefield_value
    parameters = [adapt(value) if isinstance(value, datetime) else value for value in values]
    with reading().cursor() as cursor:
        cursor.execute(statement.format(**words), parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def groups_of_rule(project_id: int, rule: str) -> frozenset[int]:
    """Denial groups of a rule; an index finds the calls that the rule denied through them."""
    groups = CallGroup.objects.filter(project=project_id, of=DENIED, rule=as_text(rule))
    return frozenset(groups.values_list("pk", flat=True))

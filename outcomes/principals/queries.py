"""Failed and denied calls by principal, counted from the newest calls of a range.

A call's principal is read from the search index, so these figures lag as far as the index does.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from outcomes.core.scope import Scope
from outcomes.database.bulk import read_time
from outcomes.database.reading import reading
from outcomes.models import Principal
from outcomes.record.codec import as_text, digest_of
from outcomes.search.queries.sources import Period

NEWEST: Final = 50_000  # calls with a principal to count, at most
IN_MENU: Final = 5_000
SHOWN: Final = 200
_SUMS: Final = """
SELECT {key}, COUNT(*),
       SUM(CASE WHEN call.verdict = 'success' THEN 1 ELSE 0 END),
       SUM(CASE WHEN call.verdict = 'failure' THEN 1 ELSE 0 END),
       SUM(CASE WHEN call.kind = 'denied' THEN 1 ELSE 0 END),
       SUM(CASE WHEN call.kind IN {returning} THEN 1 ELSE 0 END),
       SUM(CASE WHEN call.kind IN {returning} AND call.check_name <> '' THEN 1 ELSE 0 END),
       SUM(CASE WHEN call.verdict = 'success' AND suspected.call_id IS NOT NULL THEN 1 ELSE 0 END),
       MAX(call.at)
FROM (
  SELECT id, principal_id FROM outcomes_indexedcall
  WHERE {those} AND at >= %s AND at < %s ORDER BY at DESC LIMIT {most}
) AS newest
JOIN outcomes_call AS call ON call.id = newest.id
LEFT JOIN (
  SELECT DISTINCT pair.call_id FROM outcomes_suspectedcall AS pair
  JOIN outcomes_suggestion AS suggestion ON suggestion.id = pair.suggestion_id
  WHERE suggestion.project_id = %s AND suggestion.dismissed_at IS NULL
) AS suspected ON suspected.call_id = call.id
{joins} {where} GROUP BY {key}
"""
_RETURNING: Final = "('execution_result', 'artifact_reference')"
_OF_PROJECT: Final = "project_id = %s AND principal_id IS NOT NULL"
_OF_ONE: Final = "principal_id = %s"
_BY_PRINCIPAL: Final = "JOIN outcomes_principal AS principal ON principal.id = newest.principal_id"
_BY_TOOL: Final = "JOIN outcomes_tool AS tool ON tool.id = call.tool_id"


@dataclass(frozen=True, slots=True)
class Sums:
    name: str  # of a principal or a tool
    calls: int
    successes: int
    failures: int
    denied: int
    returned: int  # calls with a result
    with_output: int  # returned calls whose output was checked
    suspected: int  # successes that look like failures
    last_at: datetime = field(kw_only=True)

    @property
    def judged(self) -> int:
        return self.successes + self.failures

    @property
    def ran(self) -> int:
        return self.calls - self.denied

    @property
    def problems(self) -> int:
        return self.failures + self.denied


@dataclass(frozen=True, slots=True)
class SumsByName:
    rows: list[Sums]  # most problems first
    is_bounded: bool  # older calls of the range are not counted

    @property
    def calls(self) -> int:
        return sum(row.calls for row in self.rows)

    @property
    def failures(self) -> int:
        return sum(row.failures for row in self.rows)

    @property
    def denied(self) -> int:
        return sum(row.denied for row in self.rows)


def by_principal(project_id: int, scope: Scope, most: int = NEWEST) -> SumsByName:
    return _sums("principal.name", _BY_PRINCIPAL, _OF_PROJECT, project_id, project_id, scope, most)


def by_tool(principal: Principal, scope: Scope) -> SumsByName:
    project_id = principal.project_id
    return _sums("tool.name", _BY_TOOL, _OF_ONE, principal.pk, project_id, scope, NEWEST)


def principal_named(project_id: int, name: str) -> Principal | None:
    return Principal.objects.filter(project=project_id, digest=digest_of(name)).first()


def _sums(
    key: str, join: str, those: str, number: int, project_id: int, scope: Scope, most: int
) -> SumsByName:
    period = Period.of(*scope.bounds)
    joins, where, values = [join], list[str](), list[Any]()
    if scope.environment:
        joins.append(
            "JOIN governance_environment AS environment ON environment.id = call.environment_id"
        )
        where.append("environment.name = %s")
        values.append(as_text(scope.environment))
    if scope.agent:
        joins.append("JOIN outcomes_agent AS agent ON agent.id = call.agent_id")
        where.append("agent.digest = %s")
        values.append(digest_of(scope.agent))
    where.append("call.project_id = %s")
    statement = _SUMS.format(
        key=key,
        those=those,
        most=most,
        returning=_RETURNING,
        joins=" ".join(joins),
        where="WHERE " + " AND ".join(where),
    )
    with reading().cursor() as cursor:
        given = [number, period.since, period.until, project_id, *values, project_id]
        cursor.execute(statement, given)
        rows = [Sums(*row, last_at=read_time(last)) for *row, last in cursor.fetchall()]
    rows.sort(key=lambda row: (-row.problems, -row.calls, row.name))
    return SumsByName(rows[:SHOWN], is_bounded=sum(row.calls for row in rows) >= most)

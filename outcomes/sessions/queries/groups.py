"""Session counts grouped by everything the list can filter by, from one statement that reads a
bounded number of index entries.

Beyond that bound, finished days are counted in advance, and only the rest is counted per request.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet

from outcomes.database.reading import reading
from outcomes.models import Session
from outcomes.sessions.domain.days import Stretch
from outcomes.sessions.domain.facets import NO_NAME, STOPPED, Group
from outcomes.sessions.queries.days import CountedGroup, counted_days
from outcomes.sessions.queries.list import SessionFilter, sessions_in
from outcomes.sessions.queries.page import RUNNING_FOR, Asking, is_recent

EXACT_UP_TO: Final = 100_000  # sessions that are counted one by one
MOST_STRETCHES: Final = 12  # uncounted stretches of a period
STRETCHES_UP_TO: Final = 100_000  # sessions in these, which are counted one by one
_COLUMNS: Final = ("environment_id", "agent_id", "version_id", "stopped", "limit_name", "has")
_GROUPS: Final = """
SELECT environment.name, agent.name, bundle.name, version.number,
       counted.stopped, counted.limit_name, counted.has, counted.sessions, counted.recent,
       (SELECT MAX(id) FROM outcomes_event WHERE project_id = %s)
FROM (
  SELECT {columns}, COUNT(*) AS sessions, SUM(CASE WHEN last_at > %s THEN 1 ELSE 0 END) AS recent
  FROM ({newest}) AS newest GROUP BY {columns}
) AS counted
JOIN governance_environment AS environment ON environment.id = counted.environment_id
LEFT JOIN outcomes_agent AS agent ON agent.id = counted.agent_id
LEFT JOIN governance_bundleversion AS version ON version.id = counted.version_id
LEFT JOIN governance_bundle AS bundle ON bundle.id = version.bundle_id
"""
_Key = tuple[str, str | None, str | None, int | None, str, str, int]


@dataclass(frozen=True, slots=True)
class SessionGroups:
    groups: list[Group]
    is_exact: bool  # they include all sessions of the period
    are_many: bool  # too many to sort without an index
    newest_event: int  # in the project; 0 without groups


def bounded(project_id: int, filters: SessionFilter) -> SessionFilter:
    """Filters limited to the newest sessions if there is a text, since no index covers it."""
    if not filters.text:
        return filters
    newest = sessions_in(project_id, replace(filters, text="", matching=None)).order_by(
        "-last_at", "-id"
    )
    last = newest.values_list("last_at", flat=True)[EXACT_UP_TO : EXACT_UP_TO + 1]
    return replace(filters, since=last[0], is_bounded=True) if last else filters


def session_groups(
    project_id: int, filters: SessionFilter, now: datetime, asking: Asking
) -> SessionGroups:
    """Groups of the sessions that match period and text; the other filters are facets."""
    matching = sessions_in(project_id, filters)
    waiting = _waiting(matching, now, asking)
    groups: list[Group] = []
    rows, newest, is_exact = _counted(project_id, filters, matching, now)
    counted = 0
    for *columns, sessions, recent in rows:
        key: _Key = tuple(columns)
        counted += sessions
        if key[4]:
            groups.append(_group(key, STOPPED, sessions))
            continue
        running, ended = recent, sessions - recent
        if waiting:
            waits_recently, waits = waiting[key, True], waiting[key, False]
            running, ended = running - waits_recently, ended - waits
            if waits + waits_recently:
                groups.append(_group(key, "waiting", waits + waits_recently))
        if running > 0:
            groups.append(_group(key, "running", running))
        if ended > 0:
            groups.append(_group(key, "ended", ended))
    is_exact = is_exact and not filters.is_bounded
    are_many = counted > EXACT_UP_TO or filters.is_bounded
    return SessionGroups(groups, is_exact=is_exact, are_many=are_many, newest_event=newest)


def counted_groups(project_id: int, since: datetime, until: datetime) -> list[CountedGroup]:
    """Groups of all sessions of a period."""
    matching = sessions_in(project_id, SessionFilter(since=since, until=until))
    statement, values = matching.values_list(*_COLUMNS, "last_at").query.sql_with_params()
    return [tuple(row[:-2]) for row in _grouped(project_id, statement, values, since)]


def _counted(
    project_id: int, filters: SessionFilter, matching: QuerySet[Session], now: datetime
) -> tuple[list[Any], int, bool]:
    """Groups with their numbers of sessions and recent sessions; the newest event; and whether the
    groups are exact."""
    if not filters.text:
        days = counted_days(project_id, filters.since, filters.until)
        if days.about > EXACT_UP_TO and len(days.uncounted) <= MOST_STRETCHES:
            rows = _count_stretches(project_id, days.uncounted, now)
            if sum(row[-3] for row in rows) <= STRETCHES_UP_TO:
                return _joined(rows, days.groups()), _event_of(rows), True
    newest = matching.order_by("-last_at", "-id").values_list(*_COLUMNS, "last_at")
    statement, values = newest[: EXACT_UP_TO + 1].query.sql_with_params()
    rows = _grouped(project_id, statement, values, now - RUNNING_FOR)
    is_exact = sum(row[-3] for row in rows) <= EXACT_UP_TO
    return [row[:-1] for row in rows], _event_of(rows), is_exact


def _count_stretches(project_id: int, stretches: Sequence[Stretch], now: datetime) -> list[Any]:
    parts, values = list[str](), list[Any]()
    for since, until in stretches:
        matching = sessions_in(project_id, SessionFilter(since=since, until=until))
        statement, parameters = matching.values_list(*_COLUMNS, "last_at").query.sql_with_params()
        parts.append(statement)
        values += parameters
    if not parts:
        return []
    # The parts are ORM statements with bound parameters.
    statement = f"SELECT * FROM ({' UNION ALL '.join(parts)}) AS part LIMIT {STRETCHES_UP_TO + 1}"  # noqa: S608
    return _grouped(project_id, statement, values, now - RUNNING_FOR)


def _joined(rows: list[Any], counted: Iterable[CountedGroup]) -> list[Any]:
    """Rows plus counted groups, with 0 recent sessions because their days are over."""
    return [row[:-1] for row in rows] + [(*group, 0) for group in counted]


def _event_of(rows: list[Any]) -> int:
    return (rows[0][-1] or 0) if rows else 0


def _grouped(project_id: int, statement: str, values: Sequence[Any], since: datetime) -> list[Any]:
    adapted = reading().ops.adapt_datetimefield_value(since)
    with reading().cursor() as cursor:
        cursor.execute(
            _GROUPS.format(columns=", ".join(_COLUMNS), newest=statement),
            [project_id, adapted, *values],
        )
        return list(cursor.fetchall())


def _waiting(
    matching: QuerySet[Session], now: datetime, asking: Asking
) -> Counter[tuple[Any, bool]]:
    """Waiting sessions by group; they have no index, but are few."""
    waiting: Counter[tuple[Any, bool]] = Counter()
    if asking:
        columns = (
            "environment__name", "agent__name", "version__bundle__name", "version__number",
            "stopped", "limit_name", "has", "last_at",
        )  # fmt: skip
        for *key, last_at in matching.filter(asking.rows(), stopped="").values_list(*columns):
            waiting[tuple(key), is_recent(last_at, now)] += 1
    return waiting


def _group(key: _Key, state: str, sessions: int) -> Group:
    environment, agent, contract, number, stopped, limit, has = key
    return Group(
        environment,
        agent or "",
        None if contract is None or number is None else (contract, number),
        state,
        stopped == Session.Stopped.PREMATURE,
        limit or (NO_NAME if stopped else ""),
        has,
        sessions,
    )

"""Sessions counted in groups of those that are alike, for the filters of their list: one statement,
which reads an index and no row, and never more than so many entries of it.

Of more sessions than that, the days that are over are counted already; what the time has besides
is counted as ever."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet

from outcomes.models import Session
from outcomes.sessions.codec.days import AlikeSessions
from outcomes.sessions.domain.days import Stretch
from outcomes.sessions.domain.facets import NO_NAME, STOPPED, Group
from outcomes.sessions.queries.days import counted_days
from outcomes.sessions.queries.list import SessionFilter, sessions_in
from outcomes.sessions.queries.matching import Asking
from outcomes.sessions.queries.states import RUNNING_FOR, is_recent

EXACT_UP_TO: Final = 100_000  # sessions that are counted one by one
MOST_BESIDE: Final = 12  # stretches of a time beside its counted days
BESIDE_UP_TO: Final = 100_000  # sessions in these, which are counted one by one
_ALIKE: Final = ("environment_id", "agent_id", "version_id", "stopped", "limit_name", "has")
_GROUPS: Final = """
SELECT environment.name, agent.name, bundle.name, version.number,
       alike.stopped, alike.limit_name, alike.has, alike.sessions, alike.recent,
       (SELECT MAX(id) FROM outcomes_event WHERE project_id = %s)
FROM (
  SELECT {alike}, COUNT(*) AS sessions, SUM(CASE WHEN last_at > %s THEN 1 ELSE 0 END) AS recent
  FROM ({newest}) AS newest GROUP BY {alike}
) AS alike
JOIN governance_environment AS environment ON environment.id = alike.environment_id
LEFT JOIN outcomes_agent AS agent ON agent.id = alike.agent_id
LEFT JOIN governance_bundleversion AS version ON version.id = alike.version_id
LEFT JOIN governance_bundle AS bundle ON bundle.id = version.bundle_id
"""
_Alike = tuple[str, str | None, str | None, int | None, str, str, int]


@dataclass(frozen=True, slots=True)
class SessionGroups:
    groups: list[Group]
    is_exact: bool  # all sessions of the time are in them
    are_many: bool  # more than can be sorted by anything
    newest_event: int  # of the project; 0 where there is no group


def bounded(project_id: int, wanted: SessionFilter) -> SessionFilter:
    """A text is looked for in rows, not in an index: so among the newest of very many alone."""
    if not wanted.text:
        return wanted
    looked_at = sessions_in(project_id, replace(wanted, text="")).order_by("-last_at", "-id")
    last = looked_at.values_list("last_at", flat=True)[EXACT_UP_TO : EXACT_UP_TO + 1]
    return replace(wanted, since=last[0], is_bounded=True) if last else wanted


def session_groups(
    project_id: int, wanted: SessionFilter, now: datetime, asking: Asking
) -> SessionGroups:
    """Of the time and the text alone: what else is chosen is told of all of them."""
    found = sessions_in(project_id, wanted)
    waiting = _waiting(found, now, asking)
    groups: list[Group] = []
    rows, newest, is_exact = _counted(project_id, wanted, found, now)
    counted = 0
    for *columns, sessions, recent in rows:
        alike: _Alike = tuple(columns)
        counted += sessions
        if alike[4]:
            groups.append(_group(alike, STOPPED, sessions))
            continue
        running, ended = recent, sessions - recent
        if waiting:
            waits_recently, waits = waiting[alike, True], waiting[alike, False]
            running, ended = running - waits_recently, ended - waits
            if waits + waits_recently:
                groups.append(_group(alike, "waiting", waits + waits_recently))
        if running > 0:
            groups.append(_group(alike, "running", running))
        if ended > 0:
            groups.append(_group(alike, "ended", ended))
    is_exact = is_exact and not wanted.is_bounded
    are_many = counted > EXACT_UP_TO or wanted.is_bounded
    return SessionGroups(groups, is_exact=is_exact, are_many=are_many, newest_event=newest)


def alike_sessions(project_id: int, since: datetime, until: datetime) -> list[AlikeSessions]:
    """All of a time, however many there are."""
    found = sessions_in(project_id, SessionFilter(since=since, until=until))
    statement, values = found.values_list(*_ALIKE, "last_at").query.sql_with_params()
    return [tuple(row[:-2]) for row in _grouped(project_id, statement, values, since)]


def _counted(
    project_id: int, wanted: SessionFilter, found: QuerySet[Session], now: datetime
) -> tuple[list[Any], int, bool]:
    """The groups, each with how many sessions and how many of these are recent; the newest event;
    and whether they are all."""
    if not wanted.text:
        days = counted_days(project_id, wanted.since, wanted.until)
        if days.about > EXACT_UP_TO and len(days.beside) <= MOST_BESIDE:
            rows = _beside(project_id, days.beside, now)
            if sum(row[-3] for row in rows) <= BESIDE_UP_TO:
                return _joined(rows, days.groups()), _event_of(rows), True
    newest = found.order_by("-last_at", "-id").values_list(*_ALIKE, "last_at")
    statement, values = newest[: EXACT_UP_TO + 1].query.sql_with_params()
    rows = _grouped(project_id, statement, values, now - RUNNING_FOR)
    is_exact = sum(row[-3] for row in rows) <= EXACT_UP_TO
    return [row[:-1] for row in rows], _event_of(rows), is_exact


def _beside(project_id: int, stretches: Sequence[Stretch], now: datetime) -> list[Any]:
    parts, values = list[str](), list[Any]()
    for since, until in stretches:
        found = sessions_in(project_id, SessionFilter(since=since, until=until))
        statement, told = found.values_list(*_ALIKE, "last_at").query.sql_with_params()
        parts.append(statement)
        values += told
    if not parts:
        return []
    # Its parts are statements of the ORM, with values of their own.
    statement = f"SELECT * FROM ({' UNION ALL '.join(parts)}) AS part LIMIT {BESIDE_UP_TO + 1}"  # noqa: S608
    return _grouped(project_id, statement, values, now - RUNNING_FOR)


def _joined(rows: list[Any], counted: Iterable[AlikeSessions]) -> list[Any]:
    """Of the days that are over no session is recent."""
    return [row[:-1] for row in rows] + [(*group, 0) for group in counted]


def _event_of(rows: list[Any]) -> int:
    return (rows[0][-1] or 0) if rows else 0


def _grouped(project_id: int, statement: str, values: Sequence[Any], since: datetime) -> list[Any]:
    adapted = connection.ops.adapt_datetimefield_value(since)
    with connection.cursor() as cursor:
        cursor.execute(
            _GROUPS.format(alike=", ".join(_ALIKE), newest=statement),
            [project_id, adapted, *values],
        )
        return list(cursor.fetchall())


def _waiting(found: QuerySet[Session], now: datetime, asking: Asking) -> Counter[tuple[Any, bool]]:
    """The index does not tell who waits; they are few."""
    waiting: Counter[tuple[Any, bool]] = Counter()
    if asking:
        columns = (
            "environment__name", "agent__name", "version__bundle__name", "version__number",
            "stopped", "limit_name", "has", "last_at",
        )  # fmt: skip
        for *alike, last_at in found.filter(asking.rows(), stopped="").values_list(*columns):
            waiting[tuple(alike), is_recent(last_at, now)] += 1
    return waiting


def _group(alike: _Alike, state: str, sessions: int) -> Group:
    environment, agent, contract, number, stopped, limit, has = alike
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

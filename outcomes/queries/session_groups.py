"""Sessions counted in groups of those that are alike, for the filters of their list: one statement,
which reads an index and no row, and never more than so many entries of it."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet

from outcomes.domain.session_facets import NO_NAME, STOPPED, Group
from outcomes.models import Session
from outcomes.queries.session_asking import Asking
from outcomes.queries.session_list import RUNNING_FOR, SessionFilter, is_recent, sessions_in

EXACT_UP_TO: Final = 100_000  # sessions; of more the newest are counted
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
    counted, newest, rows = 0, 0, _rows(project_id, found, now)
    if rows:
        newest = rows[0][-1] or 0
    for *columns, sessions, recent, _ in rows:
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
    is_exact = counted <= EXACT_UP_TO and not wanted.is_bounded
    return SessionGroups(groups, is_exact=is_exact, newest_event=newest)


def _rows(project_id: int, found: QuerySet[Session], now: datetime) -> list[Any]:
    newest = found.order_by("-last_at", "-id").values_list(*_ALIKE, "last_at")
    statement, values = newest[: EXACT_UP_TO + 1].query.sql_with_params()
    alike = ", ".join(_ALIKE)
    since = connection.ops.adapt_datetimefield_value(now - RUNNING_FOR)
    with connection.cursor() as cursor:
        cursor.execute(_GROUPS.format(alike=alike, newest=statement), [project_id, since, *values])
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

"""Figures of calls: in all, by tool, agent, session, reason or hour, and over time.

Whole minutes are read from the rollups, where a filter names no more than an environment, an agent
or a tool; the rest is counted from the calls themselves.
"""

import bisect
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final, Literal, NamedTuple

from django.db.models import Q, QuerySet

from governance.queries.projects import environments_by_id
from outcomes.codec import digest_of
from outcomes.domain.durations import bucket_of
from outcomes.domain.figures import REASON, Figures
from outcomes.domain.steps import Step, spans, step_begin
from outcomes.models import Agent, AgentMinute, Call, Tool, ToolMinute
from outcomes.queries.calls import CallFilter, calls

By = Literal["tool", "agent", "session", "reason", "hour", "environment"]
_ROLLED_UP: Final = {"environment", "agent", "tool", "since", "until"}
_MINUTE: Final = timedelta(minutes=1)
_COLUMN: Final = {
    "tool": "tool__name",
    "agent": "agent__name",
    "session": "session__session_id",
    "reason": "reason",
    "environment": "environment__name",
}


@dataclass(frozen=True, slots=True)
class StepFigures:
    start: datetime
    end: datetime
    figures: Figures


class _Counted(NamedTuple):
    key: Any
    at: datetime
    kind: str
    verdict: str
    reason: str
    calls: int
    disagreements: int


def figures(project_id: int, wanted: CallFilter, *, durations: bool = False) -> Figures:
    """In all; with percentiles where these are asked for."""
    found = Figures()
    for row in _counted(project_id, wanted, None):
        _add(found, row)
    if durations:
        found.durations.update(bucket for _, _, bucket in _measured(project_id, wanted, None))
    return found


def figures_by(
    project_id: int, by: By, wanted: CallFilter, *, durations: bool = False
) -> dict[Any, Figures]:
    """By name, of those that there are; by hour: by the time at which it begins, in UTC.

    By reason these are the denied calls; by session those that belong to one.
    """
    found: dict[Any, Figures] = defaultdict(Figures)
    for row in _counted(project_id, wanted, by):
        _add(found[row.key], row)
    if durations:
        for key, _, bucket in _measured(project_id, wanted, by):
            found[key].durations[bucket] += 1
    return {key: each for key, each in found.items() if each}


def figures_over_time(
    project_id: int,
    wanted: CallFilter,
    step: Step,
    zone: tzinfo = UTC,
    *,
    cut: datetime | None = None,
    durations: bool = False,
) -> list[StepFigures]:
    """Step by step of the reader's clock, the empty ones too. The filter says from when to when."""
    return figures_by_over_time(project_id, None, wanted, step, zone, cut=cut, durations=durations)[
        None
    ]


def figures_by_over_time(
    project_id: int,
    by: By | None,
    wanted: CallFilter,
    step: Step,
    zone: tzinfo = UTC,
    *,
    cut: datetime | None = None,
    durations: bool = False,
) -> dict[Any, list[StepFigures]]:
    """The same of each: a list that is as long for all of them. At a cut a step ends, and another
    begins, so that two times are read at once."""
    if wanted.since is None or wanted.until is None:
        raise ValueError("Steps need a beginning and an end.")
    steps = spans(wanted.since, cut or wanted.until, step, zone)
    if cut is not None:
        steps += spans(cut, wanted.until, step, zone)
    edges = [each.start for each in steps]

    def empty() -> list[StepFigures]:
        return [StepFigures(each.start, each.end, Figures()) for each in steps]

    found: dict[Any, list[StepFigures]] = defaultdict(empty)
    if by is None:
        found[None] = empty()

    def place(at: datetime) -> int:
        return bisect.bisect_right(edges, at) - 1

    for row in _counted(project_id, wanted, by):
        _add(found[row.key][place(row.at)].figures, row)
    if durations:
        for key, at, bucket in _measured(project_id, wanted, by):
            found[key][place(at)].figures.durations[bucket] += 1
    return dict(found)


def _add(found: Figures, row: _Counted) -> None:
    found.add((row.kind, row.verdict, row.reason), row.calls, row.disagreements)


def _counted(project_id: int, wanted: CallFilter, by: By | None) -> Iterator[_Counted]:
    if by == "session" or not _is_rolled_up(wanted) or (wanted.agent and wanted.tool):
        yield from _from_calls(calls(project_id, wanted), by)
        return
    by_agent = by == "agent" or bool(wanted.agent)
    if (by_agent and wanted.tool) or (by == "tool" and wanted.agent):
        yield from _from_calls(calls(project_id, wanted), by)
        return
    whole = Q()
    if wanted.since is not None:
        first = _next_minute(wanted.since)
        whole &= Q(minute__gte=first)
        if first != wanted.since:
            rest = calls(project_id, wanted).filter(at__lt=first)
            yield from _from_calls(rest, by)
    if wanted.until is not None:
        last = step_begin(wanted.until, Step.MINUTE)
        whole &= Q(minute__lt=last)
        if last != wanted.until:
            yield from _from_calls(calls(project_id, wanted).filter(at__gte=last), by)
    yield from _from_minutes(project_id, wanted, by, whole, by_agent=by_agent)


def _from_minutes(
    project_id: int, wanted: CallFilter, by: By | None, whole: Q, *, by_agent: bool
) -> Iterator[_Counted]:
    environments = environments_by_id(project_id)
    chosen = [
        number
        for number, name in environments.items()
        if not wanted.environment or name == wanted.environment
    ]
    rows: QuerySet[Any] = (AgentMinute if by_agent else ToolMinute).objects.filter(
        whole, environment__in=chosen
    )
    if wanted.agent:
        known = Agent.objects.filter(project=project_id, digest=digest_of(wanted.agent))
        rows = rows.filter(agent__in=known)
    if wanted.tool:
        tools = Tool.objects.filter(project=project_id, digest=digest_of(wanted.tool))
        rows = rows.filter(tool__in=tools)
    key = {"tool": "tool__name", "agent": "agent__name", "environment": "environment"}.get(by or "")
    columns = ("minute", "kind", "verdict", "reason", "calls", "disagreements")
    for name, at, kind, *more in rows.values_list(key or "minute", *columns):
        named = _key(by, environments[name] if by == "environment" else name, at, kind, more[1])
        if named is not _NOT_OF_IT:
            yield _Counted(named, at, kind, *more)


def _from_calls(found: QuerySet[Call], by: By | None) -> Iterator[_Counted]:
    columns = (_COLUMN.get(by or "", "at"), "at", "kind", "verdict", "reason", "disagreement")
    rows = found.order_by().values_list(*columns)
    for name, at, kind, verdict, reason, disagreement in rows.iterator(chunk_size=2_000):
        key = _key(by, name, at, kind, reason[:REASON])
        if key is not _NOT_OF_IT:
            yield _Counted(key, at, kind, verdict, reason[:REASON], 1, int(disagreement))


def _measured(
    project_id: int, wanted: CallFilter, by: By | None
) -> Iterator[tuple[Any, datetime, int]]:
    found = calls(project_id, wanted).filter(elapsed_ms__isnull=False).order_by()
    columns = (_COLUMN.get(by or "", "at"), "at", "kind", "reason", "elapsed_ms")
    for name, at, kind, reason, elapsed in found.values_list(*columns).iterator(chunk_size=2_000):
        key = _key(by, name, at, kind, reason[:REASON])
        if key is not _NOT_OF_IT:
            yield key, at, bucket_of(elapsed)


_NOT_OF_IT: Final = object()


def _key(by: By | None, name: Any, at: datetime, kind: str, reason: str) -> Any:
    match by:
        case None:
            return None
        case "reason":
            return reason if kind == Call.Kind.DENIED else _NOT_OF_IT
        case "hour":
            return step_begin(at, Step.HOUR)
        case _:
            return _NOT_OF_IT if name is None else name


def _is_rolled_up(wanted: CallFilter) -> bool:
    nothing = CallFilter()
    return all(
        getattr(wanted, each.name) == getattr(nothing, each.name)
        for each in fields(wanted)
        if each.name not in _ROLLED_UP
    )


def _next_minute(at: datetime) -> datetime:
    begin = step_begin(at, Step.MINUTE)
    return begin if begin == at else begin + _MINUTE

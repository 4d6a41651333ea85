"""Recomputes all stored data from the events alone and reports differences from the tables.

For tests and drills, on the configured database. It uses the domain's own fold and none of the code
with which the worker writes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from governance.checks.domain import DEFAULT
from governance.core.verdict import Verdict
from governance.delivery.queries.governing import Governing
from outcomes.core.durations import bucket_of
from outcomes.core.moments import day_of
from outcomes.core.scope import Scope
from outcomes.figures.codec.groups import digest_of_group, grouping_of
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.groups import denial_groups, failure_groups
from outcomes.figures.queries.stats import By, figures_by
from outcomes.models import (
    AgentSeen,
    ArtifactTotal,
    ArtifactUse,
    Call,
    Event,
    Session,
    SessionDay,
    SessionDayChange,
)
from outcomes.record.arguments import artifact_read
from outcomes.record.brief_call import BriefCall
from outcomes.record.call import Call as Folded
from outcomes.record.classification import agent_check, effective
from outcomes.record.codec import CALL_COLUMNS, call_row_of
from outcomes.record.fold import fold
from outcomes.record.outcome import ToolArtifactReference, ToolDenied
from outcomes.sessions.domain.overview import overview_of
from outcomes.sessions.queries.days import unpack_groups
from outcomes.sessions.queries.readings import report_of
from outcomes.stored.queries import CallFilter, read_events

Hit = dict[tuple[int, bytes], Folded]


def differences() -> list[str]:
    """Descriptions of all differences; empty if every count is exact."""
    folded = _folded()
    return [
        *_in_calls(folded),
        *_in_figures(),
        *_in_groups(),
        *_in_sessions(folded),
        *_in_session_days(),
        *_in_fleet(),
        *_in_artifacts(folded),
    ]


def _folded() -> Hit:
    events = defaultdict(list)
    rows = Event.objects.select_related("agent", "environment").order_by("id")
    for stored in read_events(rows.iterator(chunk_size=2_000)):
        row = stored.row
        events[row.environment_id, bytes(row.call_digest)].append(stored.event)
    calls = {key: fold(reported) for key, reported in events.items()}
    return {key: call for key, call in calls.items() if call is not None}


def _in_calls(folded: Hit) -> Iterator[str]:
    fields = {}
    for row in Call.objects.select_related("agent", "tool", "session").iterator(chunk_size=2_000):
        fields[row.environment_id, bytes(row.digest)] = row
    for key in folded.keys() ^ fields.keys():
        known = folded[key].call_id if key in folded else fields[key].call_id
        yield f"call {known}: {'is missing' if key in folded else 'has no events'}"
    for key in folded.keys() & fields.keys():
        row, call = fields[key], folded[key]
        counted = {
            "kind": (row.kind, call.outcome.kind if call.outcome else ""),
            "at": (row.at, call.at),
            "order": (row.order, call.order),
            "agent": (row.agent.name, call.agent_id),
            "tool": (row.tool.name, call.tool_name),
            "session": (row.session.session_id if row.session else None, call.session_id),
            "reported": (row.reported, call.reported or ""),
            **_verdict_of(row, call),
            "reason": (row.reason, getattr(call.outcome, "reason", "")),
            "elapsed": (row.elapsed_ms, call.elapsed_ms),
            "conflict": (row.conflict, call.conflict),
        }
        for name, (has, should) in counted.items():
            if has != should:
                yield f"call {row.call_id}: {name} is {has!r}, should be {should!r}"


def _verdict_of(row: Call, call: Folded) -> dict[str, tuple[object, object]]:
    verdict, decided_by = effective(
        row.kind,
        Verdict(row.classified) if row.classified else None,
        call.reported,
        is_bound=row.decided_by == "check" or row.check_name not in ("", DEFAULT.name),
        own_check=agent_check(call.metadata) is not None,
    )
    return {
        "verdict": (row.verdict, verdict or ""),
        "decided_by": (row.decided_by, decided_by),
        "disagreement": (row.disagreement, {call.reported, verdict} == {"success", "failure"}),
    }


def _in_figures() -> Iterator[str]:
    """Differences in figures, whether already rolled up or not."""
    everything = CallFilter()
    for project in Call.objects.order_by().values_list("project", flat=True).distinct():
        rows = Call.objects.filter(project=project).select_related("tool", "agent", "environment")
        should: dict[By, dict[Any, Figures]] = {
            by: defaultdict(Figures) for by in ("tool", "agent", "environment", "hour")
        }
        for row in rows.iterator(chunk_size=2_000):
            hour = row.at.replace(minute=0, second=0, microsecond=0)
            names = (row.tool.name, row.agent.name, row.environment.name, hour)
            for result, name in zip(should.values(), names, strict=True):
                became = (row.kind, row.verdict, row.reason[:64])
                unchecked = row.verdict != "" and row.classified == ""
                result[name].add(became, 1, int(row.disagreement), unchecked=unchecked)
                if row.elapsed_ms is not None:
                    result[name].durations[bucket_of(row.elapsed_ms)] += 1
        for by, right in should.items():
            stored = figures_by(project, by, everything, durations=True)
            for name in right.keys() | stored.keys():
                if stored.get(name) != right.get(name):
                    yield f"figures by {by} of {name}: {stored.get(name)}, not {right.get(name)}"


def _in_groups() -> Iterator[str]:
    """Differences in groups of failures and denials, in one scope that covers all calls."""
    by_project: dict[int, list[Call]] = defaultdict(list)
    for row in Call.objects.select_related("group").iterator(chunk_size=2_000):
        by_project[row.project_id].append(row)
    for project, rows in by_project.items():
        should: dict[str, list[Call]] = defaultdict(list)
        columns = Call.objects.filter(project=project).values_list(*CALL_COLUMNS)
        groups = {row.id: grouping_of(row) for row in map(call_row_of, columns)}
        for row in rows:
            group = groups[row.pk]
            key = digest_of_group(group).hex() if group else ""
            if key != (bytes(row.group.digest).hex() if row.group else ""):
                yield f"call {row.call_id}: its group is {row.group}, should be {group}"
            if group:
                should[key].append(row)
        times = [row.at.replace(second=0, microsecond=0) for row in rows]
        scope = Scope(since=min(times), until=max(times) + timedelta(minutes=1))
        listed = [
            each
            for groups_of in (failure_groups, denial_groups)
            for each in groups_of(project, scope, size=len(rows)).groups
        ]
        has = {
            each.key: (each.calls, sum(each.steps), each.sessions, each.first_at, each.last_at)
            for each in listed
        }
        right = {key: _group_columns(those) for key, those in should.items()}
        for key in right.keys() | has.keys():
            if has.get(key) != right.get(key):
                yield f"group {key}: {has.get(key)}, should be {right.get(key)}"


def _group_columns(rows: list[Call]) -> tuple[object, ...]:
    sessions = {row.session_id for row in rows} - {None}
    times = [row.at for row in rows]
    return len(rows), len(rows), len(sessions), min(times), max(times)


def _in_fleet() -> Iterator[str]:
    """Agents last seen before their newest call, or never.

    A later time is fine: a report counts as a sighting even if its call turns out to be older or to
    belong to another agent.
    """
    newest: dict[tuple[int, int], datetime] = {}
    for env, agent, at in Call.objects.values_list("environment", "agent", "at"):
        newest[env, agent] = max(at, newest.get((env, agent), at))
    rows = AgentSeen.objects.exclude(at=None).select_related("call")
    has = {(row.environment_id, row.agent_id): row for row in rows}
    for key, at in newest.items():
        row = has.get(key)
        if row is None or row.call is None or (row.at and row.at < at):
            yield f"agent {key} was seen at {row and row.at}, should be {at}"


def _in_artifacts(folded: Hit) -> Iterator[str]:
    """Differences in calls that reference an artifact or read it, by environment and name."""
    should: dict[tuple[int, str], list[Any]] = defaultdict(lambda: [0, 0, Counter(), []])
    for (env, _), call in folded.items():
        if isinstance(call.outcome, ToolArtifactReference):
            use = should[env, call.outcome.artifact_id]
            use[0] += 1
            use[2][call.agent_id] += 1
            use[3].append(call.at)
        if read := artifact_read(call):
            should[env, read][1] += 1
    has = {}
    for row in ArtifactUse.objects.prefetch_related("makers__agent"):
        makers = {maker.agent.name: maker.calls for maker in row.makers.all()}
        has[row.environment_id, row.name] = (
            row.calls,
            row.reads,
            makers,
            row.first_at,
            row.last_at,
        )
    for key in should.keys() | has.keys():
        calls, reads, makers, times = should[key]
        right = (calls, reads, dict(makers), min(times, default=None), max(times, default=None))
        if has.get(key) != right:
            yield f"artifact {key}: {has.get(key)}, should be {right}"
    yield from _in_totals_of_artifacts()


def _in_totals_of_artifacts() -> Iterator[str]:
    should: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in ArtifactUse.objects.filter(calls__gt=0):
        counts = (1, row.artifact_id is not None, row.reads > 0, row.size_bytes)
        sums = should[row.environment_id]
        sums[:] = [number + each for number, each in zip(sums, counts, strict=True)]
    has: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for total in ArtifactTotal.objects.all():
        sums = has[total.environment_id]
        answer = (total.artifacts, total.stored, total.read, total.size_bytes)
        sums[:] = [number + each for number, each in zip(sums, answer, strict=True)]
    for environment in should.keys() | has.keys():
        if has[environment] != should[environment]:
            yield f"artifacts of {environment}: {has[environment]}, not {should[environment]}"


def _in_session_days() -> Iterator[str]:
    """Differences in session counts per day, except for days with pending changes."""
    result: defaultdict[tuple[int, int], Counter[tuple[Any, ...]]] = defaultdict(Counter)
    rows = Session.objects.exclude(last_at=None)
    for row in rows.select_related("environment", "agent", "version__bundle"):
        assert row.last_at is not None
        version = row.version
        kind = (
            row.environment.name,
            row.agent.name if row.agent else None,
            version.bundle.name if version else None,
            version.number if version else None,
            row.stopped,
            row.limit_name,
            row.has,
        )
        result[row.project_id, day_of(row.last_at)][kind] += 1
    changed = set(SessionDayChange.objects.values_list("project", "day"))
    for day in SessionDay.objects.all():
        place = day.project_id, day.day
        stored = Counter(
            {tuple(group[:-1]): group[-1] for group in unpack_groups(bytes(day.groups))}
        )
        if place not in changed and stored != result[place]:
            yield f"sessions of day {day.day}: counted are {stored}, there are {result[place]}"


def _in_sessions(folded: Hit) -> Iterator[str]:
    calls: dict[int, list[Call]] = defaultdict(list)
    for row in Call.objects.exclude(session=None).order_by("at", "call_index", "order"):
        calls[row.session_id or 0].append(row)
    for session in Session.objects.select_related("environment", "agent"):
        rows = calls.pop(session.pk, [])
        if not rows:
            if session.attempts:
                yield f"session {session.session_id}: counts {session.attempts} calls, has none"
            continue
        ran = [row for row in rows if row.kind not in ("", ToolDenied.kind)]
        should = {
            "attempts": len(rows),
            "executions": len(ran),
            "successes": sum(row.verdict == "success" for row in ran),
            "failures": sum(row.verdict == "failure" for row in ran),
            "unknown": sum(row.verdict == "unknown" for row in ran),
            "denied": sum(row.kind == ToolDenied.kind for row in rows),
            "open": sum(row.kind == "" for row in rows),
            "disagreements": sum(row.disagreement for row in rows),
            "artifacts": sum(row.kind == ToolArtifactReference.kind for row in rows),
            "first_at": rows[0].at,
            "last_at": rows[-1].at,
            **_repeated(rows),
            "is_read": True,
        }
        should["has"] = sum(
            bit.value
            for bit, name in zip(
                Session.Has, ("denied", "disagreements", "artifacts", "waste"), strict=True
            )
            if should[name]
        )
        for name, right in should.items():
            if getattr(session, name) != right:
                stored = getattr(session, name)
                yield f"session {session.session_id}: {name} is {stored}, should be {right}"
        yield from _in_state(session)
    yield from (f"session {missing} is missing" for missing in calls)


def _repeated(rows: list[Call]) -> dict[str, Any]:
    """Expected waste, as on the session's page, and the longest loop of denied calls."""
    brief = [
        BriefCall(
            row.pk, row.call_id, row.at, row.turn_id, row.kind, row.reason, row.detail, row.rule,
            str(row.tool_id), row.verdict, row.reported, row.elapsed_ms, row.idempotent,
            row.blocks_tool, None if row.arguments is None else bytes(row.arguments),
            row.artifact_name, None, None,
        )
        for row in rows
    ]  # fmt: skip
    denied: dict[tuple[str, bytes], list[BriefCall]] = defaultdict(list)
    for call in brief:
        if call.kind == ToolDenied.kind and call.arguments is not None:
            denied[call.tool, call.arguments].append(call)
    times = max(map(len, denied.values()), default=0)
    counted: dict[str, Any] = {"waste": overview_of(brief).wasted, "loop": 0, "loop_call_id": None}
    if times > 1:
        those = [calls for calls in denied.values() if len(calls) == times]
        longest = max(those, key=lambda calls: calls[-1].at)
        counted |= {"loop": times, "loop_call_id": longest[-1].id}
        counted |= {"loop_first_at": longest[0].at, "loop_last_at": longest[-1].at}
    return counted


def _in_state(session: Session) -> Iterator[str]:
    """Differences between a session's incremental state and one computed from all its calls."""
    stored = report_of(session, Governing([session.environment_id]))
    session.tally = ""  # forces computing it from the calls
    report = report_of(session, Governing([session.environment_id]))
    for name in ("counts", "denials", "limits"):
        has, should = getattr(stored, name), getattr(report, name)
        if has != should:
            yield f"session {session.session_id}: {name} are {has}, should be {should}"

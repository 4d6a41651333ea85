"""Writing of a claim: each event and call row once, then everything counted from them.

Statements run in a fixed order, and rows are sorted within each, so that workers can't deadlock.
"""

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from operator import itemgetter
from typing import cast

from governance.delivery.queries.governing import Governing
from outcomes.artifacts.commands.contents import locked
from outcomes.artifacts.commands.uses import UseKey, note_artifacts
from outcomes.database import bulk
from outcomes.database.bulk.sending import Meanwhile
from outcomes.figures.commands.grouping import Change, count, grouped
from outcomes.models import Agent, Session, Tool
from outcomes.models import Call as CallModel
from outcomes.models import Event as EventModel
from outcomes.record import codec
from outcomes.record.call import Call
from outcomes.record.codec import CALL_COLUMNS, CallRow, Keys, call_row, digest_of
from outcomes.record.event import UNKNOWN_AGENT, Event
from outcomes.record.fold import fold
from outcomes.record.outcome import (
    Outcome,
    Removed,
    ToolArtifactReference,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)
from outcomes.record.wire import Sender, Source
from outcomes.search.commands.indexing import note_events
from outcomes.sessions.commands.readings import Known, read_sessions
from outcomes.settling.around_calls import Child, SetApart, link_children, note_agents
from outcomes.settling.decode import CallKey, Reading, ReportedCall, judged
from outcomes.stored.names import Name, ids_of

_BY_DIGEST = itemgetter(CALL_COLUMNS.index("environment"), CALL_COLUMNS.index("digest"))
EVENT_COLUMNS = (
    "id",
    "project",
    "environment",
    "call_digest",
    "digest",
    "agent",
    "source",
    "received_at",
    "item",
    "bound_to",
)


def write(reading: Reading, meanwhile: Meanwhile | None = None) -> None:
    """Write a claim. `meanwhile` runs while a database server executes inserts."""
    writer = _Writer(reading)
    new = writer.insert_events(meanwhile)
    note_events(writer.project_and_id(new))
    fresh = _with_news(reading, new)
    unknown_calls = [call for key, call in reading.calls.items() if key in fresh]
    inserted = writer.insert_calls(unknown_calls, meanwhile)
    if len(inserted) < len(fresh):
        there = fresh - {(row.environment, row.digest) for _, row in inserted}
        changes = inserted + writer.merge_calls(there, new)
    else:
        changes = inserted
    note_agents(changes)
    note_artifacts(changes, writer.sizes)
    read_sessions(changes, writer.governing, writer.known())
    link_children(writer.children)  # their rows are locked by now
    count(changes, from_settling=True)
    writer.apart.write()


def _with_news(reading: Reading, new: set[int]) -> Set[CallKey]:
    """Calls with new events in this claim."""
    if len(new) == reading.items:
        return reading.events.keys()
    return {
        key
        for key, reported in reading.events.items()
        if any(each.event.order in new for each in reported)
    }


class _Writer:
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.governing = Governing(reading.environments)
        self.agents: dict[Name, int] = {}
        self.tools: dict[Name, int] = {}
        self.sessions: dict[Name, int] = {}
        self.projects: dict[int, int] = {}  # by environment
        self.artifacts = reading.contents.write()
        self.children: set[Child] = set()
        self.sizes: dict[UseKey, int] = {}
        self.apart = SetApart()

    def known(self) -> Known:
        return Known(
            {row: name for (_, name), row in self.tools.items()},
            frozenset(row for (_, name), row in self.agents.items() if name == UNKNOWN_AGENT),
        )

    def insert_events(self, meanwhile: Meanwhile | None) -> set[int]:
        """Insert events that don't exist yet; returns their orders."""
        everything = [each for reported in self.reading.events.values() for each in reported]
        self.projects = {each.batch.environment: each.batch.project for each in everything}
        names = {(each.batch.project, each.event.agent_id) for each in everything}
        self.agents |= ids_of(Agent, "project", names)
        rows = [
            (
                each.event.order,
                each.batch.project,
                environment,
                digest,
                each.event.digest,
                self.agents[each.batch.project, each.event.agent_id],
                each.batch.source,
                each.batch.sender.received_at,
                each.packed,
                each.batch.sender.agents,
            )
            for (environment, digest), reported in self.reading.events.items()
            for each in reported
        ]
        rows.sort(key=itemgetter(2, 3, 4, 0))
        return bulk.insert_new(EventModel, EVENT_COLUMNS, rows, meanwhile)

    def project_and_id(self, new: set[int]) -> Iterator[tuple[int, int]]:
        for (environment, _), reported in self.reading.events.items():
            for each in reported:
                if each.event.order in new:
                    yield self.projects[environment], each.event.order

    def insert_calls(self, calls: list[ReportedCall], meanwhile: Meanwhile | None) -> list[Change]:
        """Insert calls that don't exist yet."""
        self._learn_names(calls)
        rows = grouped([self._row(each, each.call.order) for each in calls])
        rows.sort(key=_BY_DIGEST)
        made = bulk.insert_new(CallModel, CALL_COLUMNS, rows, meanwhile)
        changes: list[Change] = [(None, row) for row in rows if row.id in made]
        for _, row in changes:
            reported = self.reading.events[row.environment, row.digest]
            self.apart.note([each.event for each in reported], [])
        return changes

    def merge_calls(self, keys: Set[CallKey], new: set[int]) -> list[Change]:
        """Update existing calls, folded again from all their events, old and new."""
        old_rows = _locked_calls(keys)
        before: list[CallRow] = []
        after: list[CallRow] = []
        for old, events in _with_events(old_rows, self.reading.environments):
            call = fold(events)
            if call is None:
                continue
            earlier = [event for event in events if event.order not in new]
            self.apart.note(events, earlier)
            known = fold(earlier)
            verdicts, is_bound = codec.verdicts_in(old), old.decided_by == "check"
            if known is None or (
                not _has_same_verdict_inputs(known, call) and not _lost_output(call)
            ):
                verdicts, is_bound = judged(call, self.reading, old.project, old.environment)
            reported = ReportedCall(
                call,
                verdicts,
                old.project,
                old.environment,
                old.received_at,
                old.digest,
                is_bound,
            )
            self._learn_names([reported])
            before.append(old)
            after.append(_with_lost(self._row(reported, old.id), old, call))
        both = zip(before, grouped(after), strict=True)
        changes: list[Change] = [(old, row) for old, row in both if row != old]
        bulk.update(CallModel, CALL_COLUMNS, [row for _, row in changes])
        return changes

    def _learn_names(self, calls: list[ReportedCall]) -> None:
        agents = {(each.project, each.call.account.agent_id) for each in calls}
        if not agents <= self.agents.keys():
            self.agents |= ids_of(Agent, "project", agents)
        tools = {(each.project, each.call.account.tool_name) for each in calls}
        if not tools <= self.tools.keys():
            self.tools |= ids_of(Tool, "project", tools)
        sessions = {
            (each.environment, session)
            for each in calls
            if (session := each.call.account.session_id)
        }
        if not sessions <= self.sessions.keys():
            project_of = lambda environment, _: self.projects[environment]  # noqa: E731 - one use
            self.sessions |= ids_of(Session, "environment", sessions, project=project_of)

    def _row(self, reported: ReportedCall, row_id: int) -> CallRow:
        call, project, environment = reported.call, reported.project, reported.environment
        account = call.account
        keys = Keys(
            project,
            environment,
            self.agents[project, account.agent_id],
            self.tools[project, account.tool_name],
            self.sessions[environment, account.session_id] if account.session_id else None,
            self._artifact_of(project, environment, call),
            self.governing.version_of(
                project,
                environment,
                call.at,
                account.policy_version,
                account.bundle_name,
                account.agent_id,
            ),
            reported.digest,
        )
        if account.parent_session_id and keys.session is not None:
            self.children.add(Child(environment, account.parent_session_id, keys.session))
        return call_row(
            call, reported.verdicts, keys, row_id, reported.received_at, is_bound=reported.is_bound
        )

    def _artifact_of(self, project: int, environment: int, call: Call) -> int | None:
        if not isinstance(call.outcome, ToolArtifactReference):
            return None
        name = call.outcome.artifact_id
        key = (project, name)
        if not self.reading.contents.is_known(key):  # only an earlier event named it
            self.artifacts |= dict(locked([key]))
        size = self.reading.contents.size_of(project, name) or call.outcome.size_bytes
        self.sizes[environment, digest_of(name)] = size
        return self.artifacts.get(key)


def _locked_calls(keys: Iterable[CallKey]) -> list[CallRow]:
    rows: list[CallRow] = []
    by_environment: dict[int, list[bytes]] = {}
    for environment, digest in sorted(keys):
        by_environment.setdefault(environment, []).append(digest)
    for environment, digests in by_environment.items():
        for start in range(0, len(digests), 500):
            locked = (
                CallModel.objects.select_for_update()
                .filter(environment=environment, digest__in=digests[start : start + 500])
                .order_by("digest")
                .values_list(*CALL_COLUMNS)
            )
            rows += (codec.call_row_of(values) for values in locked)
    return rows


def _with_events(
    rows: list[CallRow], environments: dict[int, str]
) -> Iterator[tuple[CallRow, list[Event]]]:
    """Each call with all its events, in order of acceptance."""
    for start in range(0, len(rows), 500):
        part = rows[start : start + 500]
        events: dict[CallKey, list[Event]] = {}
        for environment in {row.environment for row in part}:
            stored = (
                EventModel.objects.filter(
                    environment=environment,
                    call_digest__in=[row.digest for row in part if row.environment == environment],
                )
                .order_by("id")
                .values_list(
                    "id", "call_digest", "agent__name", "source", "received_at", "item", "bound_to"
                )
            )
            for order, digest, agent, source, received_at, item, bound_to in stored:
                sender = Sender(environments[environment], agent, bound_to, received_at)
                event = codec.unpack_event(bytes(item), cast(Source, source), sender, order)
                events.setdefault((environment, bytes(digest)), []).append(event)
        for row in part:
            yield row, events.get((row.environment, row.digest), [])


def _has_same_verdict_inputs(before: Call, after: Call) -> bool:
    """Whether the check would get the same input: only a new output or tool needs a new verdict."""
    if before.outcome is None or after.outcome is None:
        return before.outcome is after.outcome
    return _without_time(before.outcome) == _without_time(after.outcome)


def _lost_output(call: Call) -> bool:
    """Whether retention removed the output, so that no check can run again: the verdict stays."""
    outcome = call.outcome
    return isinstance(outcome, ToolExecutionResult) and isinstance(outcome.output, Removed)


def _with_lost(row: CallRow, old: CallRow, call: Call) -> CallRow:
    """Row that keeps what the old one derived from arguments that retention removed."""
    if not call.lost_arguments or call.tool_args is not None:
        return row
    return row._replace(arguments=old.arguments, artifact_read=old.artifact_read)


def _without_time(outcome: Outcome) -> Outcome:
    if isinstance(outcome, ToolExecutionResult | ToolTimeout | ToolFailure):
        return replace(outcome, elapsed_ms=None)
    return outcome

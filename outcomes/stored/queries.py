"""Queries for stored calls, events and sessions, shared by all lists and pages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, cast

from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.db.models.lookups import Exact

from outcomes.models import Call, Session
from outcomes.models import Event as EventRow
from outcomes.record import codec
from outcomes.record.arguments import arguments_text
from outcomes.record.call import Call as Folded
from outcomes.record.codec import as_text, digest_of
from outcomes.record.event import Event
from outcomes.record.fold import fold
from outcomes.record.outcome import REASON
from outcomes.record.wire import Sender, Source

PLACE_BY_TIME: Final = ("at", "order")  # sort key of calls, for paging
CALLS_SHOWN: Final = 100  # per page
IN_ONE_QUERY: Final = 500  # calls
OPEN = "open"  # filter value for calls without an outcome
_NAMED = ("agent", "tool", "session", "environment", "version__bundle", "artifact")
# Per row of a list, megabytes for a busy session and half a megabyte for a long contract.
_HEAVY = ("session__tally", "version__document", "version__session_rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """Filters of a list of calls; empty fields filter nothing."""

    session: str = ""
    agent: str = ""
    tool: str = ""
    tool_number: int = 0  # row id, if already known
    agent_number: int = 0  # the same
    type: str = ""
    reason: str = ""
    rule: str = ""  # of a contract
    groups: frozenset[int] | None = None  # ids of groups of similar failures or denials
    verdict: str = ""
    disagreement: bool | None = None
    environment: str = ""
    contract: str = ""  # name of the contract that governed the call
    version: int | None = None  # of that contract
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""

    def given(self) -> dict[str, Any]:
        """Filters that are set, by name."""
        return {
            name: value for name, value in asdict(self).items() if value != getattr(ANY_CALL, name)
        }


ANY_CALL: Final = CallFilter()


def with_names(rows: QuerySet[Call]) -> QuerySet[Call]:
    """Calls with the related rows that a list shows, without their large columns."""
    return rows.select_related(*_NAMED).defer(*_HEAVY)


def calls(project_id: int, filters: CallFilter) -> QuerySet[Call]:
    """Calls of a project, newest first: by time, then by order of acceptance."""
    rows = with_names(Call.objects.filter(project=project_id))
    return rows.filter(conditions(filters)).order_by("-at", "-order")


def conditions(filters: CallFilter) -> Q:
    such = such_calls(filters)
    if filters.environment:
        such &= Q(environment__name=as_text(filters.environment))
    if filters.session:
        such &= Q(session__digest=digest_of(filters.session))
    if filters.agent:
        such &= Q(agent__digest=digest_of(filters.agent))
    if filters.agent_number:
        such &= Q(agent=filters.agent_number)
    if filters.groups is not None:
        such &= Q(group__in=filters.groups)
    if filters.since is not None:
        such &= Q(at__gte=filters.since)
    if filters.until is not None:
        such &= Q(at__lt=filters.until)
    if filters.text:
        text = as_text(filters.text)
        such &= (
            Q(call_id__icontains=text)
            | Q(tool__name__icontains=text)
            | Q(session__session_id__icontains=text)
            | Q(detail__icontains=text)
        )
    return such


def such_calls(filters: CallFilter) -> Q:
    """Conditions on the call itself: its tool, contract and outcome."""
    conditions = Q()
    if filters.tool:
        conditions &= Q(tool__digest=digest_of(filters.tool))
    if filters.tool_number:
        conditions &= Q(tool=filters.tool_number)
    if filters.type:
        conditions &= Q(kind="" if filters.type == OPEN else filters.type)
    if filters.reason:
        conditions &= _with_reason(as_text(filters.reason))
    if filters.rule:
        conditions &= Q(rule=as_text(filters.rule))
    if filters.verdict:
        conditions &= Q(verdict=filters.verdict)
    if filters.disagreement is not None:
        conditions &= Q(disagreement=filters.disagreement)
    if filters.contract:
        conditions &= Q(version__bundle__name=as_text(filters.contract))
    if filters.contract and filters.version is not None:
        conditions &= Q(version__number=filters.version)
    return conditions


def _with_reason(reason: str) -> Q:
    """Condition on the reason. Figures truncate reasons, so one of full length is a prefix."""
    if len(reason) == REASON:
        return Q(Exact(Left("reason", REASON), reason))
    return Q(reason=reason)


def calls_before(rows: QuerySet[Call], at: datetime, order: int) -> QuerySet[Call]:
    """Rest of a list, newest first, after this position."""
    return rows.filter(Q(at__lt=at) | Q(at=at, order__lt=order))


def call_named(project_id: int, call_id: str, environment: str = "") -> Call | None:
    """Newest call with that id; ids are unique within an environment."""
    return _calls_named(project_id, [call_id], environment).first()


def newest_calls_named(
    project_id: int, call_ids: Sequence[str], environment: str = ""
) -> list[Call]:
    """Newest call of each id, in no order; unknown ids are left out."""
    newest: dict[str, Call] = {}
    for row in _calls_named(project_id, call_ids, environment):
        newest.setdefault(row.call_id, row)
    return list(newest.values())


def _calls_named(project_id: int, call_ids: Sequence[str], environment: str) -> QuerySet[Call]:
    # Filtered by environment because the index on ids starts with it. With a filter on the
    # project, SQLite scans all of the project's calls, newest first.
    rows = Call.objects.filter(
        environment__project=project_id,
        digest__in=[digest_of(call_id) for call_id in call_ids],
    )
    if environment:
        rows = rows.filter(environment__name=as_text(environment))
    return with_names(rows).order_by("-at", "-order")


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """Accepted event: its row, the parsed event and the source."""

    row: EventRow
    event: Event
    source: Source


@dataclass(frozen=True, slots=True)
class StoredCall:
    """Call: its row, the state folded from its events, and the events."""

    row: Call
    folded: Folded
    events: list[StoredEvent]


def read_calls(rows: Sequence[Call]) -> list[StoredCall]:
    """Calls with their events, one query per 500 calls."""
    events = events_of(rows)
    calls = []
    for row in rows:
        stored = events[row.environment_id, bytes(row.digest)]
        folded = fold([event.event for event in stored])
        if folded is not None:
            calls.append(StoredCall(row, folded, stored))
    return calls


def events_of(rows: Sequence[Call]) -> dict[tuple[int, bytes], list[StoredEvent]]:
    by_call: dict[tuple[int, bytes], list[StoredEvent]] = defaultdict(list)
    for start in range(0, len(rows), IN_ONE_QUERY):
        part = rows[start : start + IN_ONE_QUERY]
        stored = (
            EventRow.objects.filter(
                environment__in={row.environment_id for row in part},
                call_digest__in=[row.digest for row in part],
            )
            .select_related("agent", "environment")
            .order_by("id")
        )
        for event in read_events(stored):
            by_call[event.row.environment_id, bytes(event.row.call_digest)].append(event)
    return by_call


def read_events(rows: Iterable[EventRow]) -> Iterable[StoredEvent]:
    for row in rows:
        source = cast(Source, row.source)
        sender = Sender(row.environment.name, row.agent.name, row.bound_to, row.received_at)
        yield StoredEvent(row, codec.unpack_event(bytes(row.item), source, sender, row.pk), source)


def arguments_line(call: StoredCall | None) -> str:
    return arguments_text(None if call is None else call.folded.tool_args)


def sessions(project_id: int, *, environment: str = "", agent: str = "") -> QuerySet[Session]:
    """Sessions of a project that have calls, newest activity first."""
    rows = (
        Session.objects.filter(project=project_id, attempts__gt=0)
        .select_related("agent", "environment", "version__bundle")
        .defer("version__document", "version__session_rules")  # half a megabyte per row
        .order_by("-last_at", "-id")
    )
    if environment:
        rows = rows.filter(environment__name=as_text(environment))
    if agent:
        rows = rows.filter(agent__digest=digest_of(agent))
    return rows


def session_named(project_id: int, session_id: str, environment: str = "") -> Session | None:
    """Last active session with that id; ids are unique within an environment."""
    rows = sessions(project_id, environment=environment).defer(None).defer("version__document")
    return rows.select_related("hold").filter(digest=digest_of(session_id)).first()

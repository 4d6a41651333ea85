"""Calls, events and sessions read from the store: the lists and pages of every room begin here."""

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

PLACE_BY_TIME: Final = ("at", "order")  # of a call in a list, for paging
CALLS_SHOWN: Final = 100  # on a page
IN_ONE_QUERY: Final = 500  # calls
OPEN = "open"  # the type that a filter names for calls without an outcome
_NAMED = ("agent", "tool", "session", "environment", "version__bundle", "artifact")
# Of a busy session some megabytes, of a long contract half of one: a row of a list each.
_HEAVY = ("session__tally", "version__document", "version__session_rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """Filters of a list of calls; an empty one does not narrow it."""

    session: str = ""
    agent: str = ""
    tool: str = ""
    tool_number: int = 0  # these two, where their numbers are known already
    agent_number: int = 0
    type: str = ""
    reason: str = ""
    rule: str = ""  # of a contract
    groups: frozenset[int] | None = None  # of what failed or was denied alike
    verdict: str = ""
    disagreement: bool | None = None
    environment: str = ""
    contract: str = ""  # by its name: calls that a version of it governed
    version: int | None = None  # of that contract
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""

    def given(self) -> dict[str, Any]:
        """Only what narrows the list, by name."""
        return {
            name: value for name, value in asdict(self).items() if value != getattr(ANY_CALL, name)
        }


ANY_CALL: Final = CallFilter()


def with_names(rows: QuerySet[Call]) -> QuerySet[Call]:
    """With everything that a line of a list shows."""
    return rows.select_related(*_NAMED).defer(*_HEAVY)


def calls(project_id: int, filters: CallFilter) -> QuerySet[Call]:
    """The calls of a project, newest first: by their time, then by acceptance."""
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
    """Figures cut long reasons, so a cut one stands for every reason that begins with it."""
    if len(reason) == REASON:
        return Q(Exact(Left("reason", REASON), reason))
    return Q(reason=reason)


def calls_before(rows: QuerySet[Call], at: datetime, order: int) -> QuerySet[Call]:
    """Part of a list, newest first, after this place."""
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
    # By way of the environments, with which the index of ids begins: where the project is asked of
    # the calls, SQLite goes through all that it has, newest first.
    rows = Call.objects.filter(
        environment__project=project_id,
        digest__in=[digest_of(call_id) for call_id in call_ids],
    )
    if environment:
        rows = rows.filter(environment__name=as_text(environment))
    return with_names(rows).order_by("-at", "-order")


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """Accepted event: typed, and as it was sent."""

    row: EventRow
    event: Event
    source: Source


@dataclass(frozen=True, slots=True)
class StoredCall:
    """Row of a call, the fold of its events, and the events."""

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
        .defer("version__document", "version__session_rules")  # half a megabyte in each row
        .order_by("-last_at", "-id")
    )
    if environment:
        rows = rows.filter(environment__name=as_text(environment))
    if agent:
        rows = rows.filter(agent__digest=digest_of(agent))
    return rows


def session_named(project_id: int, session_id: str, environment: str = "") -> Session | None:
    """Session with that id, seen last; ids are unique within an environment."""
    rows = sessions(project_id, environment=environment).defer(None).defer("version__document")
    return rows.select_related("hold").filter(digest=digest_of(session_id)).first()

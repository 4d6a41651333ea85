"""The list of sessions: a page of it, the counts over all of it, and what belongs to none."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Q, QuerySet

from outcomes.codec import as_text, digest_of
from outcomes.models import Call, Session
from outcomes.queries.paging import Page, Place, page_of
from outcomes.queries.session_asking import Asking
from outcomes.queries.session_reports import sessions

SESSION_PLACE: Final = ("last_at", "id")
SESSIONS_SHOWN: Final = 50
RUNNING_FOR: Final = timedelta(minutes=5)  # since its last call
RECENT: Final = 10_000  # calls without a session that are looked through for their agents


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """What the list is narrowed to; empty: not at all."""

    environment: str = ""
    agent: str = ""
    text: str = ""
    state: str = ""
    contract: str = ""  # by its name: sessions whose last call a version of it governed
    version: int | None = None  # of that contract
    since: datetime | None = None  # with a call in this time, as far as first and last tell
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCounts:
    all: int
    running: int
    waiting: int  # for an approval
    stopped: int
    premature: int

    @property
    def ended(self) -> int:
        return self.all - self.running - self.waiting - self.stopped


@dataclass(frozen=True, slots=True)
class SessionlessAgent:
    agent: str
    calls: int


def state_of(session: Session, now: datetime, asking: Asking) -> str:
    if session.stopped:
        return "stopped"
    if session in asking:
        return "waiting"
    return "running" if _is_recent(session.last_at, now) else "ended"


def sessions_shown(
    project_id: int,
    wanted: SessionFilter,
    now: datetime,
    asking: Asking,
    *,
    before: Place | None = None,
    after: Place | None = None,
) -> Page[Session]:
    found = sessions(project_id, environment=wanted.environment, text=wanted.text).defer("tally")
    found = found.filter(_narrowed(wanted))
    if wanted.state:
        found = found.filter(_in_state(now, asking)[wanted.state])
    return page_of(found, SESSION_PLACE, size=SESSIONS_SHOWN, before=before, after=after)


def session_counts(
    project_id: int, wanted: SessionFilter, now: datetime, asking: Asking
) -> SessionCounts:
    """Over all rows, whatever state is asked for: answered by an index unless a text is."""
    states = _in_state(now, Asking())
    found: QuerySet[Session] = Session.objects.filter(project=project_id, last_at__isnull=False)
    if wanted.environment:
        found = found.filter(environment__name=as_text(wanted.environment))
    if wanted.text:
        found = sessions(project_id, environment=wanted.environment, text=wanted.text)
    found = found.filter(_narrowed(wanted))
    # A count may not have the name of a column that another one filters by.
    counts = found.order_by().aggregate(
        count_all=Count("id"),
        count_running=Count("id", filter=states["running"]),
        count_stopped=Count("id", filter=states["stopped"]),
        count_premature=Count("id", filter=Q(stopped=Session.Stopped.PREMATURE)),
    )
    # The index knows no ids: the few that wait are counted apart.
    rows = found.filter(asking.rows(), stopped="").order_by() if asking else found.none()
    last = list(rows.values_list("last_at", flat=True))
    return SessionCounts(
        all=counts["count_all"],
        running=counts["count_running"] - sum(_is_recent(at, now) for at in last),
        waiting=len(last),
        stopped=counts["count_stopped"],
        premature=counts["count_premature"],
    )


def sessionless_agents(project_id: int, environment: str = "") -> list[SessionlessAgent]:
    """Whose calls came without a session, by the newest of them, the most frequent first."""
    found = Call.objects.filter(project=project_id, session=None)
    if environment:
        found = found.filter(environment__name=as_text(environment))
    newest = found.order_by("-at", "-order").values_list("agent__name", flat=True)[:RECENT]
    return [SessionlessAgent(name, calls) for name, calls in Counter(newest).most_common()]


def _narrowed(wanted: SessionFilter) -> Q:
    such = Q()
    if wanted.agent:
        such &= Q(agent__digest=digest_of(wanted.agent))
    if wanted.contract:
        such &= Q(version__bundle__name=as_text(wanted.contract))
    if wanted.contract and wanted.version is not None:
        such &= Q(version__number=wanted.version)
    if wanted.since is not None:
        such &= Q(last_at__gte=wanted.since)
    if wanted.until is not None:
        such &= Q(first_at__lt=wanted.until)
    return such


def _in_state(now: datetime, asking: Asking) -> dict[str, Q]:
    since, waits = now - RUNNING_FOR, asking.rows()
    goes_on = ~waits if asking else Q()
    return {
        "running": Q(stopped="", last_at__gt=since) & goes_on,
        "waiting": Q(stopped="") & waits,
        "stopped": ~Q(stopped=""),
        "ended": Q(stopped="", last_at__lte=since) & goes_on,
    }


def _is_recent(last_at: datetime | None, now: datetime) -> bool:
    return last_at is not None and last_at > now - RUNNING_FOR

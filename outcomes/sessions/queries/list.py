"""Session list: filters, pages, saved views, and calls without a session."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db.models import F, Q, QuerySet

from outcomes.models import Agent, Call, SavedView, Session
from outcomes.record.codec import as_text, digest_of
from outcomes.search.queries.sessions import MatchingSessions as Matching
from outcomes.sessions.domain.facets import NO_NAME, Chosen
from outcomes.sessions.queries.order import ORDERS, PLACE, USUAL, Order
from outcomes.sessions.queries.page import Asking, in_state
from outcomes.stored.queries import sessions
from outcomes.web.paging import Page, Place, page_of

SESSIONS_SHOWN: Final = 50
IN_A_FILE: Final = 1_000  # rows per query: some orders sort all sessions for each page
RECENT: Final = 10_000  # newest calls without a session, searched for their agents


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """Filters of the list: time and text select sessions, the choices narrow them."""

    since: datetime | None = None  # bounds of the last call's time
    until: datetime | None = None
    text: str = ""
    matching: Matching | None = None  # what the search for the text found
    is_bounded: bool = False  # covers only part of the requested period
    chosen: Chosen = field(default_factory=Chosen)


@dataclass(frozen=True, slots=True)
class SessionlessAgent:
    agent: str
    calls: int


def sessions_shown(
    project_id: int,
    filters: SessionFilter,
    now: datetime,
    asking: Asking,
    *,
    order: Order = ORDERS[USUAL],
    turned: bool = False,
    before: Place | None = None,
    after: Place | None = None,
    size: int = 0,
) -> Page[Session]:
    """Page of sessions; `turned` reverses the order."""
    matching = sessions_in(project_id, filters).filter(_narrowed(filters.chosen, now, asking))
    if filters.chosen.has:
        matching = matching.annotate(bits=F("has").bitand(filters.chosen.has))
        matching = matching.filter(bits=filters.chosen.has)
    return page_of(
        order.annotated(matching, now, asking),
        PLACE,
        size=size or SESSIONS_SHOWN,
        before=before,
        after=after,
        ascending=order.ascending != turned,
        full=order.annotated(sessions(project_id).defer("tally"), now, asking),
    )


def sessions_in(project_id: int, filters: SessionFilter) -> QuerySet[Session]:
    rows = Session.objects.filter(project=project_id, last_at__isnull=False).order_by()
    if filters.since is not None:
        rows = rows.filter(last_at__gte=filters.since)
    if filters.until is not None:
        rows = rows.filter(last_at__lt=filters.until)
    if filters.matching is not None:
        rows = rows.filter(in_search(project_id, filters.matching))
    return rows


def in_search(project_id: int, matching: Matching) -> Q:
    """Sessions of the matching calls. The first part of a search also includes sessions whose id or
    agent matches."""
    such = Q(pk__in=matching.numbers or {0})  # 0 is no session's id
    if not matching.text:
        return such
    text = as_text(matching.text)
    agents = Agent.objects.filter(project=project_id, name__icontains=text).values("id")
    named = Q(session_id__icontains=text)
    if matching.begin is None:
        return such | named | Q(agent__in=agents)
    return such & ~named & (Q(agent=None) | ~Q(agent__in=agents))


def any_session(project_id: int) -> bool:
    """Whether the project has any session with calls."""
    return Session.objects.filter(project=project_id, attempts__gt=0).exists()


def sessionless_agents(project_id: int, environment: str = "") -> list[SessionlessAgent]:
    """Agents with calls without a session, most frequent first."""
    calls = Call.objects.filter(project=project_id, session=None)
    if environment:
        calls = calls.filter(environment__name=as_text(environment))
    newest = calls.order_by("-at", "-order").values_list("agent__name", flat=True)[:RECENT]
    return [SessionlessAgent(name, number) for name, number in Counter(newest).most_common()]


def _narrowed(chosen: Chosen, now: datetime, asking: Asking) -> Q:
    such = Q()
    if chosen.environment:
        such &= Q(environment__name=as_text(chosen.environment))
    if chosen.agent:
        such &= Q(agent__digest=digest_of(chosen.agent))
    if chosen.contract:
        such &= Q(version__bundle__name=as_text(chosen.contract))
    if chosen.contract and chosen.version is not None:
        such &= Q(version__number=chosen.version)
    if chosen.limit == NO_NAME:
        such &= Q(limit_name="") & ~Q(stopped="")
    elif chosen.limit:
        such &= Q(limit_name=as_text(chosen.limit))
    if chosen.state:
        such &= in_state(now, asking)[chosen.state]
    return such


def saved_views(project_id: int, user_id: int | None) -> QuerySet[SavedView]:
    """Own views first, then shared ones."""
    views = SavedView.objects.filter(Q(owner=None) | Q(owner=user_id), project=project_id)
    return views.order_by(F("owner").asc(nulls_last=True), "name")

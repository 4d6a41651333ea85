"""The list of sessions: what it may be narrowed to, a page of it, and calls without a session."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db.models import F, Q, QuerySet

from outcomes.models import Agent, Call, Session
from outcomes.record.codec import as_text, digest_of
from outcomes.record.sessions import sessions
from outcomes.sessions.domain.facets import NO_NAME, Chosen
from outcomes.sessions.queries.matching import Asking
from outcomes.sessions.queries.order import ORDERS, PLACE, USUAL, Order
from outcomes.sessions.queries.states import in_state
from outcomes.web.key_paging import Page, Place, page_of

SESSIONS_SHOWN: Final = 50
IN_A_FILE: Final = 1_000  # at once: in some orders each page is looked for among all
RECENT: Final = 10_000  # calls without a session that are looked through for their agents


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """The time and the text say which sessions are looked at; what is chosen narrows these."""

    since: datetime | None = None  # the last call was in this time
    until: datetime | None = None
    text: str = ""
    is_bounded: bool = False  # not all of the time that was asked for
    chosen: Chosen = field(default_factory=Chosen)


@dataclass(frozen=True, slots=True)
class SessionlessAgent:
    agent: str
    calls: int


def sessions_shown(
    project_id: int,
    wanted: SessionFilter,
    now: datetime,
    asking: Asking,
    *,
    order: Order = ORDERS[USUAL],
    turned: bool = False,
    before: Place | None = None,
    after: Place | None = None,
    size: int = 0,
) -> Page[Session]:
    """Turned is the other way round."""
    found = sessions_in(project_id, wanted).filter(_narrowed(wanted.chosen, now, asking))
    if wanted.chosen.has:
        found = found.annotate(bits=F("has").bitand(wanted.chosen.has))
        found = found.filter(bits=wanted.chosen.has)
    return page_of(
        order.of(found, now, asking),
        PLACE,
        size=size or SESSIONS_SHOWN,
        before=before,
        after=after,
        ascending=order.ascending != turned,
        whole=order.of(sessions(project_id).defer("tally"), now, asking),
    )


def sessions_in(project_id: int, wanted: SessionFilter) -> QuerySet[Session]:
    found = Session.objects.filter(project=project_id, last_at__isnull=False).order_by()
    if wanted.since is not None:
        found = found.filter(last_at__gte=wanted.since)
    if wanted.until is not None:
        found = found.filter(last_at__lt=wanted.until)
    if wanted.text:
        text = as_text(wanted.text)
        agents = Agent.objects.filter(project=project_id, name__icontains=text)
        found = found.filter(Q(session_id__icontains=text) | Q(agent__in=agents.values("id")))
    return found


def sessionless_agents(project_id: int, environment: str = "") -> list[SessionlessAgent]:
    """Whose calls came without a session, by the newest of them, the most frequent first."""
    found = Call.objects.filter(project=project_id, session=None)
    if environment:
        found = found.filter(environment__name=as_text(environment))
    newest = found.order_by("-at", "-order").values_list("agent__name", flat=True)[:RECENT]
    return [SessionlessAgent(name, calls) for name, calls in Counter(newest).most_common()]


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

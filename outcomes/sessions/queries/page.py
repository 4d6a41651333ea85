"""Data for the session page: its report and the overview of its calls."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import BigIntegerField, Case, Count, F, Q, Sum, Value, When

from governance.approvals.queries import waiting_approvals
from governance.delivery.queries.governing import Governing
from outcomes.calls.queries.approvals import calls_behind
from outcomes.calls.queries.lists import PLACE_IN_SESSION
from outcomes.models import Call, ChildSession, Session, SessionNote
from outcomes.record.brief_call import BriefCall
from outcomes.record.codec import digest_of
from outcomes.sessions.domain.overview import FAILED_BY_TYPE, Overview, overview_of
from outcomes.sessions.queries.readings import SessionReport, report_of
from outcomes.stored.queries import sessions

CHILDREN: Final = 50
OTHERS: Final = 20
BEFORE: Final = timedelta(days=7)
MOST_BEFORE: Final = 2_000  # newest sessions of all agents, filtered by agent


@dataclass(frozen=True, slots=True)
class Family:
    parents: list[str]  # session ids
    children: list[Session]
    more_children: bool


@dataclass(frozen=True, slots=True)
class SessionsBefore:
    """Totals of an agent's sessions that had ended before a given one began."""

    sessions: int
    calls: int
    successes: int
    failures: int
    wasted: int
    lasted: timedelta

    @property
    def judged(self) -> int:
        return self.successes + self.failures


def sessions_before(session: Session) -> SessionsBefore | None:
    """Totals of the agent's earlier sessions in this environment, read from the list's index
    alone."""
    if session.first_at is None:
        return None
    ended = Session.objects.filter(
        project=session.project_id,
        last_at__gte=session.first_at - BEFORE,
        last_at__lt=session.first_at,
    )
    newest = ended.order_by("-last_at", "-id").values(
        "environment", "agent", "attempts", "successes", "failures", "waste", "first_at", "last_at"
    )
    same_agent = Q(environment=session.environment_id, agent=session.agent_id)
    sums = {
        "calls": F("attempts"),
        "successes": F("successes"),
        "failures": F("failures"),
        "wasted": F("waste"),
        "lasted": F("last_at") - F("first_at"),
    }
    totals = newest[:MOST_BEFORE].aggregate(
        all=Count("last_at", filter=same_agent),
        **{f"all_{name}": Sum(by, filter=same_agent) for name, by in sums.items()},
    )
    if not totals["all"]:
        return None
    return SessionsBefore(totals["all"], **{name: totals[f"all_{name}"] for name in sums})


def family_of(session: Session) -> Family:
    """Parents and children in the session's environment. A session that names itself as parent is
    ignored."""
    digest = bytes(session.digest)
    rows = (
        ChildSession.objects.filter(
            Q(session=session) | Q(environment=session.environment_id, parent_digest=digest)
        )
        .select_related("session__agent", "session__environment")
        .defer("session__tally")
        .order_by("-id")
    )
    others = [
        row
        for row in rows[: 2 * CHILDREN]
        if row.session != session or bytes(row.parent_digest) != digest
    ]
    children = [row.session for row in others if row.session != session and row.session.attempts]
    return Family(
        [row.parent for row in others if row.session == session],
        children[:CHILDREN],
        len(children) > CHILDREN,
    )


def notes_of(session: Session) -> list[SessionNote]:
    return list(SessionNote.objects.filter(session=session))


def sessions_to_compare(session: Session) -> list[Session]:
    """Newest other sessions of the same agent."""
    others = sessions(session.project_id).filter(agent=session.agent_id).exclude(pk=session.pk)
    return list(others.defer("tally")[:OTHERS])


MOST_WAITING: Final = 500  # approvals; no project has more pending for long


@dataclass(frozen=True, slots=True)
class Asking:
    """Sessions that wait for an approval, named by the approval or else found by its call."""

    named: Collection[tuple[int, str]] = ()  # the environment and the id that the agent gave
    ids: Collection[int] = ()

    def __bool__(self) -> bool:
        return bool(self.named or self.ids)

    def __contains__(self, session: Session) -> bool:
        return session.pk in self.ids or (session.environment_id, session.session_id) in self.named

    def rows(self) -> Q:
        digests: dict[int, list[bytes]] = defaultdict(list)
        for environment, name in self.named:
            digests[environment].append(digest_of(name))
        rows = Q(pk__in=self.ids)
        for environment, those in digests.items():
            rows |= Q(environment=environment, digest__in=those)
        return rows


def asking_sessions(project_id: int, now: datetime) -> Asking:
    waiting = waiting_approvals(project_id, now, limit=MOST_WAITING)
    named = {
        (approval.environment_id, approval.session_id)
        for approval in waiting
        if approval.session_id
    }
    behind = calls_behind(project_id, [approval for approval in waiting if not approval.session_id])
    ids = {call.session_id for call in behind.values() if call.session_id is not None}
    return Asking(named, ids)


RUNNING_FOR: Final = timedelta(minutes=5)  # since its last call
_ENDED, _RUNNING, _WAITING, _STOPPED = range(4)  # the most urgent is the greatest


def state_of(session: Session, now: datetime, asking: Asking) -> str:
    if session.stopped:
        return "stopped"
    if session in asking:
        return "waiting"
    return "running" if is_recent(session.last_at, now) else "ended"


def is_recent(last_at: datetime | None, now: datetime) -> bool:
    return last_at is not None and last_at > now - RUNNING_FOR


def in_state(now: datetime, asking: Asking) -> dict[str, Q]:
    since, waits = now - RUNNING_FOR, asking.rows()
    goes_on = ~waits if asking else Q()
    return {
        "running": Q(stopped="", last_at__gt=since) & goes_on,
        "waiting": Q(stopped="") & waits,
        "stopped": ~Q(stopped=""),
        "ended": Q(stopped="", last_at__lte=since) & goes_on,
    }


def by_state(now: datetime, asking: Asking) -> Any:
    """Sort value: how urgently an operator should look at the session."""
    cases = [When(~Q(stopped=""), then=Value(_STOPPED))]
    if asking:
        # Look up the few waiting sessions once: the list's index can't identify them.
        waiting = Session.objects.filter(asking.rows()).order_by().values("pk")
        cases.append(When(pk__in=waiting, then=Value(_WAITING)))
    cases.append(When(last_at__gt=now - RUNNING_FOR, then=Value(_RUNNING)))
    return Case(*cases, default=Value(_ENDED), output_field=BigIntegerField())


_MISSED: Final = Count("pk", filter=Q(reported="success"))
_UNSAID: Final = Count("pk", filter=Q(reported="") & ~Q(kind__in=FAILED_BY_TYPE))
READ_AT_ONCE: Final = 10_000  # calls; turns and waste of a longer session cover its newest ones
_COLUMNS: Final = (
    "id",
    "call_id",
    "at",
    "turn_id",
    "kind",
    "reason",
    "detail",
    "rule",
    "tool__name",
    "verdict",
    "reported",
    "elapsed_ms",
    "idempotent",
    "blocks_tool",
    "arguments",
    "artifact_name",
    "artifact__sha256",
    "artifact__size_bytes",
    "from_sdk",
    "classified",
    "check_name",
    "check_rule",
    "group__digest",
    "group__text",
)


@dataclass(frozen=True, slots=True)
class SessionPage:
    report: SessionReport
    overview: Overview
    calls: list[BriefCall]  # that were read, in order

    @property
    def session(self) -> Session:
        return self.report.session

    def numbers(self) -> dict[int, int]:
        """Call numbers of the read calls, by id."""
        return {call.id: number for number, call in enumerate(self.calls, self.overview.first)}

    @property
    def is_complete(self) -> bool:
        return self.overview.first == 1


def session_page(session: Session, *, at_once: int = READ_AT_ONCE) -> SessionPage:
    # Versions are never changed, so which environments deployed them does not matter here.
    governing = Governing([])
    if session.version is not None:
        governing.learn(session.version)
    report = report_of(session, governing)
    rows = Call.objects.filter(project=session.project_id, session=session)
    newest = rows.order_by(*(f"-{name}" for name in PLACE_IN_SESSION)).values_list(*_COLUMNS)
    brief = [_brief(*row) for row in newest[:at_once]]
    brief.reverse()
    # Counts and calls come from two queries, and a call may be added in between.
    first = max(1, session.attempts - len(brief) + 1) if len(brief) == at_once else 1
    overview = overview_of(brief, first=first)
    if first > 1:  # these two cover all failures, not only the calls read
        counts = rows.filter(verdict="failure").aggregate(missed=_MISSED, unsaid=_UNSAID)
        overview.missed, overview.unsaid = counts["missed"], counts["unsaid"]
    return SessionPage(report, overview, brief)


def _brief(*columns: object) -> BriefCall:
    call = BriefCall(*columns)  # type: ignore[arg-type]  # the columns stand in its order
    if call.arguments is not None:
        call = call._replace(arguments=bytes(call.arguments))
    if call.group_digest is not None:
        call = call._replace(group_digest=bytes(call.group_digest))
    return call

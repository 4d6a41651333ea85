"""Queries for pending and ended approvals."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet

from governance.core.approval_status import Status
from governance.models import Approval as Approval  # re-exported
from governance.models import Environment

AROUND = 200  # requests of one agent for one tool within a few minutes
MOST_EARLIER = 500
EARLIER_WITHIN = timedelta(days=90)
PLACE_BY_END = ("ends_at", "id")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalFilter:
    """Filter of a list; an empty field does not filter."""

    status: str = ""
    agent_id: str = ""
    environment: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """Numbers of ended approvals by outcome."""

    approved: int
    denied: int
    timed_out: int

    @property
    def all(self) -> int:
        return self.approved + self.denied + self.timed_out


def approval_coded(project_id: int, code: str) -> Approval | None:
    """Approval by its code, without its arguments, which are loaded only when opened."""
    if "\0" in code:
        return None
    return _listed(project_id).filter(code=code).first()


def approvals_before(
    project_id: int, only: ApprovalFilter, before: int | None, limit: int, now: datetime
) -> list[Approval]:
    """Page of approvals, newest first."""
    rows = _listed(project_id).order_by("-id")
    if only.status:
        rows = rows.filter(_with_status(Status(only.status), now))
    if only.agent_id:
        rows = rows.filter(agent_id=only.agent_id)
    if only.environment:
        rows = rows.filter(environment__name=only.environment)
    return list((rows.filter(pk__lt=before) if before else rows)[:limit])


def waiting_approvals(
    project_id: int,
    now: datetime,
    *,
    environment: str = "",
    agent: str = "",
    limit: int,
) -> list[Approval]:
    """Approvals that can still be decided, expiring first."""
    rows = _of(_listed(project_id), environment, agent)
    rows = rows.filter(status=Status.PENDING, ends_at__gt=now)
    return list(rows.order_by("ends_at", "id")[:limit])


def live_approvals(
    project_id: int,
    now: datetime,
    *,
    environment: str = "",
    agent: str = "",
    session: str = "",
    limit: int,
) -> list[Approval]:
    """Pending approvals, and decided ones that can be undone: those that agents see as pending.

    For a session, this includes those without one: only their calls show which session they are in.
    """
    rows = _of(_listed(project_id), environment, agent).filter(ends_at__gt=now)
    if session:
        rows = rows.filter(session_id__in=(session, ""))
    return list(rows.order_by("ends_at", "id")[:limit])


def approved_before(
    project_id: int, approvals: Collection[Approval], now: datetime
) -> list[Approval]:
    """Approved requests for the same tools and environments, newest first."""
    rows = _listed(project_id).filter(
        status=Status.APPROVED,
        ends_at__lte=now,
        ends_at__gt=now - EARLIER_WITHIN,
        environment__in={each.environment_id for each in approvals},
        tool_name__in={each.tool_name for each in approvals},
    )
    return list(rows.order_by("-ends_at", "-id")[:MOST_EARLIER]) if approvals else []


def ended_approvals(
    project_id: int,
    now: datetime,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    environment: str = "",
    agent: str = "",
) -> QuerySet[Approval, Approval]:
    rows = _of(_listed(project_id), environment, agent).filter(ends_at__lte=now)
    if since is not None:
        rows = rows.filter(ends_at__gte=since)
    return rows if until is None else rows.filter(ends_at__lt=until)


def ended_in(
    project_id: int,
    since: datetime,
    cut: datetime,
    until: datetime,
    *,
    environment: str = "",
    agent: str = "",
) -> tuple[Ended, Ended]:
    """Counts of approvals that ended before the cut, and from the cut on."""
    rows = Approval.objects.filter(project=project_id, ends_at__gte=since, ends_at__lt=until)
    of = {"before": Q(ends_at__lt=cut), "now": Q(ends_at__gte=cut)}
    counts = (
        _of(rows, environment, agent)
        .order_by()
        .aggregate(
            **{
                f"{name}_{status}": Count("id", filter=when & such)
                for name, when in of.items()
                for status, such in (
                    ("approved", Q(status=Status.APPROVED)),
                    ("denied", Q(status=Status.DENIED)),
                    ("all", Q()),
                )
            }
        )
    )
    before, now = (
        Ended(
            approved := counts[f"{name}_approved"],
            denied := counts[f"{name}_denied"],
            counts[f"{name}_all"] - approved - denied,
        )
        for name in of
    )
    return before, now


def approvals_near(
    environment_id: int, *, agent_id: str, tool_name: str, since: datetime, until: datetime
) -> list[Approval]:
    """Approvals that an agent requested for one tool in this period, oldest first."""
    rows = Approval.objects.filter(
        environment=environment_id,
        agent_id=agent_id,
        tool_name=tool_name,
        created_at__range=(since, until),
    )
    return list(_light(rows).order_by("id")[:AROUND])


def due_approvals(now: datetime, limit: int) -> list[Approval]:
    """Approvals of all projects that have expired but are still marked as pending."""
    rows = Approval.objects.filter(status=Status.PENDING, ends_at__lte=now)
    return list(_light(rows).order_by("ends_at")[:limit])


def approvals_ended_before(
    environment: Environment, before: datetime, limit: int, held: Collection[str] = ()
) -> list[tuple[int, str, datetime]]:
    """Id, status and end of ended approvals, oldest first, except those of held sessions."""
    ended = ended_approvals_before(environment, before).exclude(session_id__in=held)
    rows = ended.order_by("ends_at", "id")
    return list(rows.values_list("pk", "status", "ends_at")[:limit])


def ended_approvals_before(environment: Environment, before: datetime) -> QuerySet[Approval]:
    rows = Approval.objects.filter(
        project=environment.project_id, environment=environment, ends_at__lt=before
    )
    return rows.exclude(status=Status.PENDING)


def _listed(project_id: int) -> QuerySet[Approval, Approval]:
    return _light(Approval.objects.filter(project=project_id))


def _of(
    rows: QuerySet[Approval, Approval], environment: str, agent: str
) -> QuerySet[Approval, Approval]:
    if environment:
        rows = rows.filter(environment__name=environment)
    return rows.filter(agent_id=agent) if agent else rows


def _light(rows: QuerySet[Approval, Approval]) -> QuerySet[Approval, Approval]:
    return rows.select_related("environment", "project").defer("arguments")


def _with_status(status: Status, now: datetime) -> Q:
    match status:
        case Status.PENDING:
            return Q(ends_at__gt=now)
        case Status.TIMEOUT:
            return Q(status=Status.TIMEOUT) | Q(status=Status.PENDING, ends_at__lte=now)
        case _:
            return Q(status=status, ends_at__lte=now)

"""Rows that each rule would remove now. Counts are bounded, and sizes are estimates."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet, Sum

from governance.approvals.queries import ended_approvals_before
from governance.audit_log import entries_before
from governance.models import Environment, Project
from outcomes.figures.domain.rollups import day_minute
from outcomes.models import (
    Artifact,
    Call,
    Event,
    Hold,
    RejectedItem,
    RetentionMark,
    Rollup,
    Session,
)
from outcomes.retention.domain import OF_PROJECT, Kind, Rule, cutoff
from outcomes.retention.queries.rules import all_rules, environments_of
from outcomes.retention.queries.sizes import bytes_per_row, call_bytes

COUNTED: Final = 10_000  # rows per rule


@dataclass(frozen=True, slots=True)
class Due:
    """Rows that a rule would remove now, without subtracting holds by search."""

    rows: int
    bytes: int
    is_more: bool = False  # there are more than counted


NONE: Final = Due(0, 0)


@dataclass(frozen=True, slots=True)
class RuleNow:
    rule: Rule
    environment: str  # empty: the project
    due: Due


def due_now(project: Project, now: datetime) -> list[RuleNow]:
    """Rules in force with what they would remove, by environment, then those of the project."""
    rules = all_rules(project.pk)
    rows: list[RuleNow] = []
    for environment in environments_of(project.pk):
        for kind, rule in rules(environment.pk).items():
            if kind not in OF_PROJECT:
                before = cutoff(rule.days, now)
                due = _OF_ENVIRONMENT[kind](environment, before) if before else NONE
                rows.append(RuleNow(rule, environment.name, due))
    for kind, rule in rules(None).items():
        if kind in OF_PROJECT:
            before = cutoff(rule.days, now)
            due = _OF_PROJECT[kind](project, before) if before else NONE
            rows.append(RuleNow(rule, "", due))
    return rows


def due_artifacts(project: int, before: datetime) -> QuerySet[Artifact]:
    """Artifacts stored before this time that no later call references."""
    fresh = Call.objects.filter(artifact=OuterRef("pk"), received_at__gte=before)
    return Artifact.objects.filter(
        ~Exists(fresh), project=project, removed_at=None, created_at__lt=before
    )


def _payloads(environment: Environment, before: datetime) -> Due:
    mark = RetentionMark.objects.filter(environment=environment).first()
    rows = Event.objects.filter(
        project=environment.project_id, pk__gt=mark.payloads_to if mark else 0
    )
    # In acceptance order, so that events that are not due are never scanned.
    page = rows.order_by("pk").values_list("received_at", "environment")[:COUNTED]
    due = [place for at, place in page if at < before]
    own = sum(place == environment.pk for place in due)
    return Due(own, own * bytes_per_row(Event) // 2, is_more=len(due) == COUNTED)


def _calls(environment: Environment, before: datetime) -> Due:
    sessions = Session.objects.filter(
        ~Exists(Hold.objects.filter(session=OuterRef("pk"))),
        project=environment.project_id,
        environment=environment,
        last_at__lt=before,
    )
    some = sessions.order_by("last_at").values("attempts")[:COUNTED]
    in_sessions = some.aggregate(calls=Sum("attempts", default=0))["calls"]
    alone = Call.objects.filter(
        project=environment.project_id, environment=environment, session=None, at__lt=before
    )
    counted = _counted(alone.filter(received_at__lt=before), call_bytes())
    rows = in_sessions + counted.rows
    is_more = counted.is_more or sessions.order_by()[COUNTED : COUNTED + 1].exists()
    return Due(rows, rows * call_bytes(), is_more=is_more)


def _rollups(environment: Environment, before: datetime) -> Due:
    rows = Rollup.objects.filter(environment=environment, start__lt=day_minute(before))
    return _counted(rows, bytes_per_row(Rollup))


def _rejected(environment: Environment, before: datetime) -> Due:
    rows = RejectedItem.objects.filter(environment=environment, received_at__lt=before)
    return _counted(rows, bytes_per_row(RejectedItem))


def _approvals(environment: Environment, before: datetime) -> Due:
    rows = ended_approvals_before(environment, before)
    return _counted(rows, bytes_per_row(rows.model))


def _artifacts(project: Project, before: datetime) -> Due:
    rows = due_artifacts(project.pk, before)
    sizes = list(rows.order_by().values_list("size_bytes", flat=True)[: COUNTED + 1])
    return Due(len(sizes[:COUNTED]), sum(sizes[:COUNTED]), is_more=len(sizes) > COUNTED)


def _audit(project: Project, before: datetime) -> Due:
    rows = entries_before(project, before)
    return _counted(rows, bytes_per_row(rows.model))


def _counted(rows: QuerySet[Any], size: int) -> Due:
    number = rows.order_by()[: COUNTED + 1].count()
    counted = min(number, COUNTED)
    return Due(counted, counted * size, is_more=number > COUNTED)


_OF_ENVIRONMENT: Final[dict[Kind, Callable[[Environment, datetime], Due]]] = {
    Kind.PAYLOADS: _payloads,
    Kind.CALLS: _calls,
    Kind.ROLLUPS: _rollups,
    Kind.REJECTED: _rejected,
    Kind.APPROVALS: _approvals,
}
_OF_PROJECT: Final[dict[Kind, Callable[[Project, datetime], Due]]] = {
    Kind.ARTIFACTS: _artifacts,
    Kind.AUDIT: _audit,
}

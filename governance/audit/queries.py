"""The audit log, newest first and page by page: filtered, or of one contract or check."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from governance.models import Approval, AuditEntry, AuditStream, Bundle, Check, Project

# What the subjects of entries are: a version, the contract, one of its tests.
_OF_VERSIONS: Final = ("contract ", "deployment request", "observed denial ")
_OF_BUNDLES: Final = ("contract assigned", "assignment deleted", "tests replaced")


CHOICES_FROM: Final = 10_000  # newest entries, whose people and actions a filter offers
MOST_CHOICES: Final = 200


@dataclass(frozen=True, slots=True)
class AuditFilter:
    actor: str = ""
    action: str = ""
    subject: str = ""  # any part of an object or of an entry's details; an address
    since: datetime | None = None
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self != AuditFilter()


ALL_ENTRIES: Final = AuditFilter()


def audit_entries(
    project: Project,
    chosen: AuditFilter = ALL_ENTRIES,
    *,
    before: int | None = None,
    limit: int = 50,
) -> list[AuditEntry]:
    return _page(Q(project=project) & _fitting(chosen), before, limit)


def audit_choices(project: Project) -> tuple[list[str], list[str]]:
    """People and keys, and actions, of the newest entries."""
    newest = AuditEntry.objects.filter(project=project).order_by("-number")[:CHOICES_FROM]
    rows = AuditEntry.objects.filter(pk__in=newest.values("pk"))
    actors, actions = (
        list(rows.order_by(column).values_list(column, flat=True).distinct()[:MOST_CHOICES])
        for column in ("actor", "action")
    )
    return actors, actions


def approvals_coded(project: Project, codes: Iterable[str]) -> dict[str, Approval]:
    """Those that still exist, by the code that an entry names."""
    return {row.code: row for row in Approval.objects.filter(project=project, code__in=set(codes))}


def _fitting(chosen: AuditFilter) -> Q:
    condition = Q()
    if chosen.actor:
        condition &= Q(actor=chosen.actor)
    if chosen.action:
        condition &= Q(action=chosen.action)
    if chosen.subject:
        condition &= (
            Q(subject__icontains=chosen.subject)
            | Q(details__icontains=chosen.subject)
            | Q(address=chosen.subject)
        )
    if chosen.since:
        condition &= Q(at__gte=chosen.since)
    if chosen.until:
        condition &= Q(at__lt=chosen.until)
    return condition


def audit_entries_about(
    of: Bundle | Check, *, before: int | None = None, limit: int = 50
) -> list[AuditEntry]:
    """Entries about it, its versions, tests, drafts, deployments and backtests."""
    return _page(Q(_about(of), project=of.project_id), before, limit)


def audit_number_above(
    of: Project | Bundle | Check, number: int, limit: int, chosen: AuditFilter = ALL_ENTRIES
) -> int | None:
    """Number before which the previous page begins; None where that is the first page."""
    condition = Q(project=of) if isinstance(of, Project) else Q(_about(of), project=of.project_id)
    rows = AuditEntry.objects.filter(condition & _fitting(chosen))
    above = rows.filter(number__gt=number).order_by("number").values_list("number", flat=True)
    numbers = list(above[: limit + 1])
    return numbers[limit] if len(numbers) > limit else None


def entries_after(project: Project, number: int, limit: int) -> list[AuditEntry]:
    """Entries behind this one, oldest first."""
    rows = AuditEntry.objects.filter(project=project, number__gt=number)
    return list(rows.order_by("number")[:limit])


def stream_of(project: Project) -> AuditStream | None:
    return AuditStream.objects.filter(project=project).first()


def audit_page_of(project: Project, number: int) -> int:
    """Number before which the page begins whose first entries are around this one."""
    return min(number + 5, audit_length(project) + 1)


def audit_length(project: Project) -> int:
    last = AuditEntry.objects.filter(project=project).order_by("-number").first()
    return last.number if last else 0


def _about(of: Bundle | Check) -> Q:
    """By the words of entries, which never change. No name of a contract or a check has a blank or
    a colon: none begins like another's."""
    return _about_check(of.name) if isinstance(of, Check) else _about_contract(of.name)


def _about_contract(name: str) -> Q:
    of_a_version = Q()
    for action in _OF_VERSIONS:
        of_a_version |= Q(action__startswith=action)
    return (
        Q(of_a_version, subject__startswith=f"{name} v")
        | Q(action__in=_OF_BUNDLES, subject=name)
        | Q(action__startswith="test ", subject__startswith=f"{name}: ")
        | Q(action__startswith="draft ", subject=f"draft of {name}")
        | Q(action__startswith="backtest ", subject__endswith=f" of {name}")
    )


def _about_check(name: str) -> Q:
    """A change of bindings belongs to each check that it names, before or after."""
    return (
        Q(action="check saved", subject__startswith=f"{name} v")
        | Q(action__startswith="draft ", subject=f"draft of the check {name}")
        | Q(action__startswith="check backtest ", subject__endswith=f" of the check {name}")
        | Q(action="bindings changed", details__icontains=f' {name}"')
    )


def _page(condition: Q, before: int | None, limit: int) -> list[AuditEntry]:
    rows = AuditEntry.objects.filter(condition).order_by("-number")
    return list((rows.filter(number__lt=before) if before else rows)[:limit])

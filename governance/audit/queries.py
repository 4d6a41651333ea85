"""Pages of the audit log, newest first: filtered, or about one contract or check."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from governance.models import Approval, AuditEntry, AuditStream, Bundle, Check, Project

# Actions whose subject is a version, or the contract itself.
_OF_VERSIONS: Final = ("contract ", "deployment request", "observed denial ")
_OF_BUNDLES: Final = ("contract assigned", "assignment deleted", "tests replaced")


CHOICES_FROM: Final = 10_000  # newest entries, which provide the filter's people and actions
MOST_CHOICES: Final = 200


@dataclass(frozen=True, slots=True)
class AuditFilter:
    actor: str = ""
    action: str = ""
    subject: str = ""  # substring of the object or the details; or an address
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
    """Distinct actors and actions of the newest entries."""
    newest = AuditEntry.objects.filter(project=project).order_by("-number")[:CHOICES_FROM]
    rows = AuditEntry.objects.filter(pk__in=newest.values("pk"))
    actors, actions = (
        list(rows.order_by(column).values_list(column, flat=True).distinct()[:MOST_CHOICES])
        for column in ("actor", "action")
    )
    return actors, actions


def approvals_coded(project: Project, codes: Iterable[str]) -> dict[str, Approval]:
    """Approvals that still exist, by the code in an entry."""
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
    """Entries about a contract or check, its versions, tests, drafts, deployments and backtests."""
    return _page(Q(_about(of), project=of.project_id), before, limit)


def audit_number_above(
    of: Project | Bundle | Check, number: int, limit: int, chosen: AuditFilter = ALL_ENTRIES
) -> int | None:
    """Cursor of the previous page; None if that is the first page."""
    condition = Q(project=of) if isinstance(of, Project) else Q(_about(of), project=of.project_id)
    rows = AuditEntry.objects.filter(condition & _fitting(chosen))
    above = rows.filter(number__gt=number).order_by("number").values_list("number", flat=True)
    numbers = list(above[: limit + 1])
    return numbers[limit] if len(numbers) > limit else None


def entries_after(project: Project, number: int, limit: int) -> list[AuditEntry]:
    """Entries after this one, oldest first."""
    rows = AuditEntry.objects.filter(project=project, number__gt=number)
    return list(rows.order_by("number")[:limit])


def stream_of(project: Project) -> AuditStream | None:
    return AuditStream.objects.filter(project=project).first()


def audit_page_of(project: Project, number: int) -> int:
    """Cursor of the page that shows this entry near the top."""
    return min(number + 5, audit_length(project) + 1)


def audit_length(project: Project) -> int:
    last = AuditEntry.objects.filter(project=project).order_by("-number").first()
    return last.number if last else 0


def _about(of: Bundle | Check) -> Q:
    """Match entries by their text, which never changes.

    Names have no spaces or colons, so these prefixes match no other name.
    """
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
    """Entries about a check. A change of bindings belongs to each check in it, old or new."""
    return (
        Q(action="check saved", subject__startswith=f"{name} v")
        | Q(action__startswith="draft ", subject=f"draft of the check {name}")
        | Q(action__startswith="check backtest ", subject__endswith=f" of the check {name}")
        | Q(action="bindings changed", details__icontains=f' {name}"')
    )


def _page(condition: Q, before: int | None, limit: int) -> list[AuditEntry]:
    rows = AuditEntry.objects.filter(condition).order_by("-number")
    return list((rows.filter(number__lt=before) if before else rows)[:limit])

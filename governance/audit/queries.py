"""The audit log as it is read: newest first, page by page; whole, or what is about one text."""

from typing import Final

from django.db.models import Q

from governance.models import AuditEntry, Bundle, Check, Project

# By what the subjects of entries are: a version, the contract, one of its tests.
_OF_VERSIONS: Final = ("contract ", "deployment request", "observed denial ")
_OF_BUNDLES: Final = ("bundle assigned", "assignment ended", "tests replaced")


def audit_entries(
    project: Project, *, before: int | None = None, limit: int = 50
) -> list[AuditEntry]:
    return _page(Q(project=project), before, limit)


def audit_entries_about(
    of: Bundle | Check, *, before: int | None = None, limit: int = 50
) -> list[AuditEntry]:
    """Of it, its versions, tests and drafts, where they went live and what was replayed."""
    return _page(Q(_about(of), project=of.project_id), before, limit)


def audit_number_above(of: Bundle | Check, number: int, limit: int) -> int | None:
    """What the page above this entry ends before; none where that is the first one."""
    rows = AuditEntry.objects.filter(_about(of), project=of.project_id)
    above = rows.filter(number__gt=number).order_by("number").values_list("number", flat=True)
    found = list(above[: limit + 1])
    return found[limit] if len(found) > limit else None


def audit_length(project: Project) -> int:
    last = AuditEntry.objects.filter(project=project).order_by("-number").first()
    return last.number if last else 0


def _about(of: Bundle | Check) -> Q:
    """Entries are never written to again, so what they are about stands in their own words. No name
    of a contract or a check holds a blank or a colon: none begins like another's."""
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
    """A change of bindings is about each check that a line of theirs names, before or since."""
    return (
        Q(action="check saved", subject__startswith=f"{name} v")
        | Q(action__startswith="draft ", subject=f"draft of the check {name}")
        | Q(action__startswith="check backtest ", subject__endswith=f" of the check {name}")
        | Q(action="bindings changed", details__icontains=f' {name}"')
    )


def _page(wanted: Q, before: int | None, limit: int) -> list[AuditEntry]:
    rows = AuditEntry.objects.filter(wanted).order_by("-number")
    return list((rows.filter(number__lt=before) if before else rows)[:limit])

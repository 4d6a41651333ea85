"""Drafts of checks by person, and the other people who are editing."""

from typing import Final

from django.db.models.functions import Substr

from governance.checks.queries.checks import check_version_numbered
from governance.contracts.queries.drafts import SHOWN
from governance.core.numbers import parse_number
from governance.models import Check, CheckDraft, CheckVersion, Project

BEGINNING: Final = 400  # characters at the start of a text, which contain its name


def check_draft_of(check: Check, person_id: int) -> CheckDraft | None:
    rows = CheckDraft.objects.select_related("success_check", "project")
    return rows.filter(success_check=check, person=person_id).first()


def new_check_draft_numbered(project: Project, person_id: int, number: int) -> CheckDraft | None:
    """Draft of a new check by this person."""
    rows = CheckDraft.objects.select_related("project")
    return rows.filter(project=project, person=person_id, success_check=None, pk=number).first()


def check_drafts_of(project: Project, person_id: int) -> list[CheckDraft]:
    """Drafts of this person with the beginning of each text, last saved first."""
    rows = CheckDraft.objects.select_related("success_check").defer("text")
    begun = rows.annotate(beginning=Substr("text", 1, BEGINNING))
    return list(begun.filter(project=project, person=person_id)[:100])


def new_check_drafts_of(project: Project, person_id: int) -> list[CheckDraft]:
    """Drafts of new checks by this person, last saved first."""
    rows = CheckDraft.objects.select_related("project")
    return list(rows.filter(project=project, person=person_id, success_check=None)[:100])


def check_drafts_of_others(check: Check, person_id: int) -> list[CheckDraft]:
    """Drafts of other people without their texts, to show who else is editing."""
    rows = CheckDraft.objects.select_related("person").defer("text")
    return list(rows.filter(success_check=check).exclude(person=person_id)[:SHOWN])


def check_version_from(check: Check | None, number: str) -> CheckVersion | None:
    """Version that the text was started from, as the page reports it, if it exists."""
    parsed = parse_number(number)
    return (
        check_version_numbered(check, parsed) if check is not None and parsed is not None else None
    )


def check_text_of(version: CheckVersion | None) -> str:
    return bytes(version.document).decode() if version is not None else ""

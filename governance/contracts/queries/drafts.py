"""Drafts of contracts by person, and the other people who are editing."""

from governance.contracts.domain.meaning import changes
from governance.contracts.queries.contracts import bundle_named, newest_version, version_numbered
from governance.core.errors import DocumentInvalid
from governance.core.numbers import ID_DIGITS, parse_number
from governance.models import Bundle, BundleVersion, Draft, Project
from governance.texts.changes import Change
from governance.texts.document import read_document

SHOWN = 20


def draft_of(bundle: Bundle, person_id: int) -> Draft | None:
    rows = Draft.objects.select_related("bundle", "project")
    return rows.filter(bundle=bundle, person=person_id).first()


def new_draft_numbered(project: Project, person_id: int, number: int) -> Draft | None:
    """Draft of a new contract by this person."""
    rows = Draft.objects.select_related("project")
    return rows.filter(project=project, person=person_id, bundle=None, pk=number).first()


def draft_numbered(project: Project, person_id: int, number: int) -> Draft | None:
    """Draft of this person, of any contract."""
    rows = Draft.objects.select_related("bundle", "project")
    return rows.filter(project=project, person=person_id, pk=number).first()


def drafts_of(project: Project, person_id: int) -> list[Draft]:
    """Drafts of this person without their texts, last saved first."""
    rows = Draft.objects.select_related("bundle").defer("text")
    return list(rows.filter(project=project, person=person_id)[:100])


def drafts_of_others(bundle: Bundle, person_id: int) -> list[Draft]:
    """Drafts of other people without their texts, to show who else is editing."""
    rows = Draft.objects.select_related("person").defer("text")
    return list(rows.filter(bundle=bundle).exclude(person=person_id)[:SHOWN])


def version_from(bundle: Bundle | None, number: str) -> BundleVersion | None:
    """Version that the text was started from, as the page reports it, if it exists."""
    parsed = parse_number(number)
    return version_numbered(bundle, parsed) if bundle is not None and parsed is not None else None


def text_of(version: BundleVersion | None) -> str:
    return bytes(version.document).decode() if version is not None else ""


def text_in_editor(project: Project, person_id: int, name: str, draft_id: str) -> str | None:
    """Text that the editor shows this person, for a contract or a draft of a new one."""
    if not name:
        number = parse_number(draft_id, ID_DIGITS)
        draft = new_draft_numbered(project, person_id, number) if number is not None else None
        return draft.text if draft else None
    bundle = bundle_named(project, name)
    if bundle is None:
        return None
    draft = draft_of(bundle, person_id)
    return draft.text if draft else text_of(newest_version(bundle))


def changes_since(version: BundleVersion | None, text: str) -> tuple[Change, ...] | None:
    """Semantic changes; None if the text can't be read or was started without a version."""
    if version is None:
        return None
    try:
        return changes(read_document(bytes(version.document)), read_document(text))
    except DocumentInvalid:
        return None

"""Drafts of contracts: kept as they are written, and never over what somebody has not seen.

A tab says which state it saw last. What it keeps replaces that state and no other, so neither a
second tab nor another device loses a word. Only beginning, bringing up to date and discarding are
told to the log: what becomes of a draft is a version, and that is told as such.
"""

from django.db import transaction
from django.utils import timezone

from governance import queries
from governance.audit import record
from governance.commands.contracts import Grown, save_version
from governance.domain.actor import Actor, ActorKind
from governance.domain.document import MAX_BYTES
from governance.domain.errors import Conflict, Forbidden, InvalidInput, NotFound, Problem
from governance.domain.merging import merge
from governance.domain.texts import can_be_kept
from governance.domain.written import as_written
from governance.models import Bundle, BundleVersion, Draft, Project
from governance.policies import Action, refuse_unless
from governance.queries.drafts import text_of

MOST_NEW = 50  # drafts of new contracts that one person has in a project


class DraftElsewhere(Conflict):
    """The draft is no more what this tab saw: another one, or another device, has changed it."""

    code = "draft_elsewhere"

    def __init__(self, present: Draft) -> None:
        super().__init__("This draft was changed in another tab or on another device.")
        self.present = present


def begin_draft(project: Project, *, text: str, by: Actor) -> Draft:
    """Of a contract that is not there yet: from a template, another contract, a file."""
    person = _person(by)
    text = _fit(as_written(text, like=text))
    with transaction.atomic():
        mine = Draft.objects.filter(project=project, person=person, bundle=None)
        if mine.count() >= MOST_NEW:
            raise InvalidInput(f"You have {MOST_NEW} drafts of new contracts: discard one first.")
        draft = Draft.objects.create(
            project=project, person_id=person, text=text, kept_at=timezone.now()
        )
        record(by, "draft begun", str(draft), project=project)
    return draft


def keep_draft(bundle: Bundle, *, text: str, base: int, seen: str, by: Actor) -> Draft:
    """One's draft of this contract with this text; `seen` is its revision, or empty for none."""
    person = _person(by)
    grown_from = queries.version_numbered(bundle, base)
    if grown_from is None:
        raise NotFound(f"{bundle.name} has no version {base}.")
    text = _fit(as_written(text, like=text_of(grown_from)))
    with transaction.atomic():
        draft, is_new = Draft.objects.select_for_update(of=("self",)).get_or_create(
            person_id=person,
            bundle=bundle,
            defaults={
                "project": bundle.project,
                "base": base,
                "text": text,
                "kept_at": timezone.now(),
            },
        )
        if is_new:
            details = {"from": base}
            record(by, "draft begun", str(draft), project=bundle.project, details=details)
        else:
            _replace(draft, text, seen=seen)
    return draft


def keep_new_draft(draft: Draft, *, text: str, seen: str, by: Actor) -> Draft:
    _person(by)
    text = _fit(as_written(text, like=draft.text))
    with transaction.atomic():
        present = _locked(draft)
        _replace(present, text, seen=seen)
    return present


def rebase_draft(draft: Draft, on: BundleVersion, *, seen: str, by: Actor) -> int:
    """Bring what that version changed into the draft; how many places both changed."""
    _person(by)
    base = queries.version_numbered(on.bundle, draft.base)
    theirs = text_of(on)
    with transaction.atomic():
        present = _locked(draft)
        _refuse_unless_seen(present, seen)
        merged = merge(
            text_of(base),
            as_written(present.text, like=text_of(base)),
            theirs,
            mine_is="your draft",
            theirs_is=f"v{on.number}",
        )
        present.base = on.number
        _write(present, _fit(as_written(merged.text, like=theirs)))
        details = {"on": on.number, "conflicts": merged.conflicts}
        record(by, "draft rebased", str(present), project=present.project, details=details)
    return merged.conflicts


def save_draft(draft: Draft, *, message: str = "", by: Actor) -> tuple[BundleVersion, bool]:
    """Its text as the version after the one that it grew from; then it is a draft no more."""
    _person(by)
    grown = Grown(draft.bundle.name if draft.bundle else "", draft.base)
    version, is_new = save_version(
        draft.project, document=draft.text, message=message, by=by, grown=grown
    )
    # What another tab has kept meanwhile is a draft still.
    Draft.objects.filter(pk=draft.pk, text=draft.text, base=draft.base).delete()
    return version, is_new


def discard_draft(draft: Draft, *, seen: str, by: Actor) -> None:
    _person(by)
    with transaction.atomic():
        present = _locked(draft)
        _refuse_unless_seen(present, seen)
        record(by, "draft discarded", str(present), project=present.project)
        present.delete()


def _person(by: Actor) -> int:
    refuse_unless(by, Action.WRITE_CONTRACT)
    if by.kind is not ActorKind.PERSON or by.id is None:
        raise Forbidden("Only people have drafts.")
    return by.id


def _fit(text: str) -> str:
    if (length := len(text.encode(errors="replace"))) > MAX_BYTES:
        unfit = f"The text has {length:,} bytes; at most {MAX_BYTES:,} are kept."
        raise InvalidInput(unfit, errors=[Problem(path="text", message=unfit)])
    if not can_be_kept(text):
        unfit = "The text holds a NUL or half of a character: take it out."
        raise InvalidInput(unfit, errors=[Problem(path="text", message=unfit)])
    return text


def _locked(draft: Draft) -> Draft:
    rows = Draft.objects.select_related("bundle", "project").select_for_update(of=("self",))
    present = rows.filter(pk=draft.pk).first()
    if present is None:
        raise NotFound("This draft is saved or discarded already.")
    return present


def _replace(draft: Draft, text: str, *, seen: str) -> None:
    if draft.text == text:
        return
    _refuse_unless_seen(draft, seen)
    _write(draft, text)


def _refuse_unless_seen(draft: Draft, seen: str) -> None:
    if draft.revision != seen:
        raise DraftElsewhere(draft)


def _write(draft: Draft, text: str) -> None:
    draft.text = text
    draft.kept_at = timezone.now()
    draft.save(update_fields=["text", "base", "kept_at"])

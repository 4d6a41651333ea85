"""Draft storage with optimistic locking: a write never replaces a text that its tab hasn't seen.

A tab sends the revision it saw last. Its text replaces only that revision, so no text from a second
tab or another device is lost.
"""

from typing import TypeVar

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import Actor, ActorKind
from governance.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from governance.core.texts import is_storable
from governance.models import CheckDraft, Draft
from governance.models.drafts import DraftText
from governance.people.commands.masking import refuse_secrets
from governance.people.policies import Action, refuse_unless
from governance.texts.merging import merge
from governance.texts.notation import as_written

MOST_NEW = 50  # drafts of new contracts or checks per person and project

D = TypeVar("D", Draft, CheckDraft)


class DraftElsewhere(Conflict):
    """The draft was changed in another tab or on another device since this tab loaded it."""

    code = "draft_elsewhere"

    def __init__(self, present: DraftText) -> None:
        super().__init__("This draft was changed in another tab or on another device.")
        self.present = present


def writer(by: Actor, action: Action) -> int:
    """Id of the person who writes the drafts. Rejects keys, which have none."""
    refuse_unless(by, action)
    if by.kind is not ActorKind.PERSON or by.id is None:
        raise Forbidden("Only people have drafts. Sign in, or save a version.")
    return by.id


def fit(text: str, most_bytes: int, *, project_id: int) -> str:
    if (length := len(text.encode(errors="replace"))) > most_bytes:
        unfit = f"The text has {length:,} bytes. At most {most_bytes:,} are allowed."
        raise InvalidInput.at("text", unfit)
    if not is_storable(text):
        unfit = "The text contains NUL or a lone surrogate. Remove it."
        raise InvalidInput.at("text", unfit)
    refuse_secrets(project_id, text, path="text")
    return text


def begin(draft: D, *, by: Actor, of_new: str) -> D:
    """Start a draft without a saved version."""
    with transaction.atomic():
        mine = type(draft)._default_manager.filter(
            project=draft.project, person=draft.person_id, base=0
        )
        if mine.count() >= MOST_NEW:
            raise InvalidInput(f"You have {MOST_NEW} drafts of {of_new}. Discard one first.")
        draft.kept_at = timezone.now()
        draft.save(force_insert=True)
        record(by, "draft started", str(draft), project=draft.project)
    return draft


@transaction.atomic
def keep(draft: D, text: str, *, seen: str) -> D:
    present = locked(draft)
    replace(present, text, seen=seen)
    return present


@transaction.atomic
def rebase(
    draft: D, base: str, theirs: str, *, on: int, seen: str, most_bytes: int, by: Actor
) -> int:
    """Merge a newer version into the draft; returns the number of conflicts."""
    present = locked(draft)
    refuse_unless_seen(present, seen)
    mine = as_written(present.text, like=base)
    merged = merge(base, mine, theirs, mine_is="your draft", theirs_is=f"v{on}")
    present.base = on
    text = as_written(merged.text, like=theirs)
    write(present, fit(text, most_bytes, project_id=present.project_id))
    details: dict[str, Detail] = {"on": on, "conflicts": merged.conflicts}
    record(by, "draft rebased", str(present), project=present.project, details=details)
    return merged.conflicts


@transaction.atomic
def discard(draft: D, *, seen: str, by: Actor) -> None:
    present = locked(draft)
    refuse_unless_seen(present, seen)
    record(by, "draft discarded", str(present), project=present.project)
    present.delete()


def forget_saved(draft: DraftText) -> None:
    """Delete a saved draft, unless another tab has changed it since."""
    rows = type(draft)._default_manager.filter(pk=draft.pk, text=draft.text, base=draft.base)
    rows.delete()


def locked(draft: D) -> D:
    rows = type(draft)._default_manager.select_related("project").select_for_update(of=("self",))
    present = rows.filter(pk=draft.pk).first()
    if present is None:
        raise NotFound("This draft was already saved or discarded.")
    return present


def replace(draft: DraftText, text: str, *, seen: str) -> None:
    if draft.text == text:
        return
    refuse_unless_seen(draft, seen)
    write(draft, text)


def refuse_unless_seen(draft: DraftText, seen: str) -> None:
    if draft.revision != seen:
        raise DraftElsewhere(draft)


def write(draft: DraftText, text: str) -> None:
    draft.text = text
    draft.kept_at = timezone.now()
    draft.save(update_fields=["text", "base", "kept_at"])

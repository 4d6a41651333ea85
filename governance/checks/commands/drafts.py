"""Drafts of named checks: autosaved, without overwriting unseen changes."""

from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.checks.commands.checks import save_check
from governance.checks.language.includes import MOST_INCLUDED
from governance.checks.language.text import MAX_BYTES
from governance.checks.queries.checks import check_version_numbered
from governance.checks.queries.drafts import check_text_of
from governance.core.actor import Actor
from governance.core.errors import NotFound
from governance.drafts import storage as storage
from governance.drafts.commands import Grown
from governance.drafts.storage import fit, writer
from governance.models import Check, CheckDraft, CheckVersion, Project
from governance.people.policies import Action
from governance.texts.notation import as_written

WRITE = Action.WRITE_CHECK


def begin_check_draft(project: Project, *, text: str, by: Actor) -> CheckDraft:
    """Draft of a new check, from a built-in check, another check, a suggestion or a file."""
    person = writer(by, WRITE)
    text = fit(as_written(text, like=text), MAX_BYTES, project_id=project.pk)
    draft = CheckDraft(project=project, person_id=person, text=text)
    return storage.begin(draft, by=by, of_new="new checks")


def keep_check_draft(check: Check, *, text: str, base: int, seen: str, by: Actor) -> CheckDraft:
    """The actor's draft of this check with this text; `seen` is its last revision, or empty."""
    person = writer(by, WRITE)
    grown_from = check_version_numbered(check, base)
    if grown_from is None:
        raise NotFound(f"{check.name} has no version {base}.")
    text = fit(
        as_written(text, like=check_text_of(grown_from)), MAX_BYTES, project_id=check.project_id
    )
    with transaction.atomic():
        draft, is_new = CheckDraft.objects.select_for_update(of=("self",)).get_or_create(
            person_id=person,
            success_check=check,
            defaults={
                "project": check.project,
                "base": base,
                "text": text,
                "kept_at": timezone.now(),
            },
        )
        if is_new:
            details = {"from": base}
            record(by, "draft started", str(draft), project=check.project, details=details)
        else:
            storage.replace(draft, text, seen=seen)
    return draft


def keep_new_check_draft(draft: CheckDraft, *, text: str, seen: str, by: Actor) -> CheckDraft:
    writer(by, WRITE)
    return storage.keep(
        draft,
        fit(as_written(text, like=draft.text), MAX_BYTES, project_id=draft.project_id),
        seen=seen,
    )


@transaction.atomic
def take_newer(draft: CheckDraft, included: str, *, newest: bool, by: Actor) -> CheckDraft:
    """Set whether the draft includes the newest version of this check or the one it had."""
    writer(by, WRITE)
    present = storage.locked(draft)
    others = [name for name in present.newer if name != included]
    present.newer = [*others, included][-MOST_INCLUDED:] if newest else others
    present.save(update_fields=["newer"])
    return present


def rebase_check_draft(draft: CheckDraft, on: CheckVersion, *, seen: str, by: Actor) -> int:
    """Merge that version's changes into the draft; returns the number of conflicts."""
    writer(by, WRITE)
    base = check_text_of(check_version_numbered(on.success_check, draft.base))
    return storage.rebase(
        draft, base, check_text_of(on), on=on.number, seen=seen, most_bytes=MAX_BYTES, by=by
    )


def save_check_draft(
    draft: CheckDraft, *, message: str = "", by: Actor
) -> tuple[CheckVersion, bool]:
    """Save the draft as the next version after its base, then delete the draft."""
    writer(by, WRITE)
    grown = Grown(draft.success_check.name if draft.success_check else "", draft.base)
    version, is_new = save_check(
        draft.project,
        document=draft.text,
        message=message,
        by=by,
        grown=grown,
        newer=draft.newer,
    )
    storage.forget_saved(draft)
    return version, is_new


def discard_check_draft(draft: CheckDraft, *, seen: str, by: Actor) -> None:
    writer(by, WRITE)
    storage.discard(draft, seen=seen, by=by)

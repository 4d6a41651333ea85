"""Drafts of contracts: autosaved, without overwriting unseen changes.

The audit log only records starting, rebasing and discarding: a draft ends as a version, which is
recorded as such.
"""

from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.contracts.commands.contracts import save_version
from governance.contracts.queries.contracts import version_numbered
from governance.contracts.queries.drafts import text_of
from governance.core.actor import Actor
from governance.core.errors import NotFound
from governance.drafts import storage as storage
from governance.drafts.commands import Grown
from governance.drafts.storage import fit, writer
from governance.models import Bundle, BundleVersion, Draft, Project
from governance.people.policies import Action
from governance.texts.document import MAX_BYTES
from governance.texts.notation import as_written

WRITE = Action.WRITE_CONTRACT


def begin_draft(project: Project, *, text: str, by: Actor) -> Draft:
    """Draft of a new contract, from a template, another contract or a file."""
    person = writer(by, WRITE)
    draft = Draft(
        project=project,
        person_id=person,
        text=fit(as_written(text, like=text), MAX_BYTES, project_id=project.pk),
    )
    return storage.begin(draft, by=by, of_new="new contracts")


def keep_draft(bundle: Bundle, *, text: str, base: int, seen: str, by: Actor) -> Draft:
    """The actor's draft of this contract with this text; `seen` is its last revision, or empty."""
    person = writer(by, WRITE)
    grown_from = version_numbered(bundle, base)
    if grown_from is None:
        raise NotFound(f"{bundle.name} has no version {base}.")
    text = fit(as_written(text, like=text_of(grown_from)), MAX_BYTES, project_id=bundle.project_id)
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
            record(by, "draft started", str(draft), project=bundle.project, details=details)
        else:
            storage.replace(draft, text, seen=seen)
    return draft


def keep_new_draft(draft: Draft, *, text: str, seen: str, by: Actor) -> Draft:
    writer(by, WRITE)
    return storage.keep(
        draft,
        fit(as_written(text, like=draft.text), MAX_BYTES, project_id=draft.project_id),
        seen=seen,
    )


def rebase_draft(draft: Draft, on: BundleVersion, *, seen: str, by: Actor) -> int:
    """Merge that version's changes into the draft; returns the number of conflicts."""
    writer(by, WRITE)
    base = text_of(version_numbered(on.bundle, draft.base))
    return storage.rebase(
        draft, base, text_of(on), on=on.number, seen=seen, most_bytes=MAX_BYTES, by=by
    )


def save_draft(draft: Draft, *, message: str = "", by: Actor) -> tuple[BundleVersion, bool]:
    """Save the draft as the next version after its base, then delete the draft."""
    writer(by, WRITE)
    grown = Grown(draft.bundle.name if draft.bundle else "", draft.base)
    version, is_new = save_version(
        draft.project, document=draft.text, message=message, by=by, grown=grown
    )
    storage.forget_saved(draft)
    return version, is_new


def discard_draft(draft: Draft, *, seen: str, by: Actor) -> None:
    writer(by, WRITE)
    storage.discard(draft, seen=seen, by=by)

"""Notes that people write on a session. The audit log omits their text, since notes are
removable."""

from typing import Final

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import Actor
from governance.core.errors import InvalidInput, NotFound
from governance.core.texts import is_storable
from governance.people import policies
from governance.people.commands.masking import as_stored
from governance.people.policies import Action
from outcomes.models import Session, SessionNote

LONGEST: Final = 4_000  # characters
MOST: Final = 200  # per session


@transaction.atomic
def write_note(session: Session, text: str, *, by: Actor) -> SessionNote:
    policies.refuse_unless(by, Action.WRITE_NOTE)
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise InvalidInput("Enter a note.")
    if len(text) > LONGEST or not is_storable(text):
        raise InvalidInput(f"Use at most {LONGEST:,} characters, without NUL.")
    if SessionNote.objects.filter(session=session).count() >= MOST:
        raise InvalidInput(f"This session has {MOST} notes. Remove one first.")
    note = SessionNote.objects.create(
        session=session,
        author=str(by)[:320],
        text=as_stored(session.project_id, text),
        at=timezone.now(),
    )
    _record(by, "note added", session, note.pk)
    return note


@transaction.atomic
def remove_note(session: Session, number: int, *, by: Actor) -> None:
    policies.refuse_unless(by, Action.WRITE_NOTE)
    note = SessionNote.objects.filter(session=session, pk=number).first()
    if note is None:
        raise NotFound("Note not found.")
    note.delete()
    _record(by, "note removed", session, number)


def _record(by: Actor, what: str, session: Session, note: int) -> None:
    details: dict[str, Detail] = {"environment": session.environment.name, "note": note}
    record(by, what, session.session_id, project=session.project, details=details)

"""Looking through calls that were settled before something was kept of them: which artifacts they
read again, the sizes of those that agents keep, whose children their sessions are, and which calls
failed or were denied alike.

Some at a time, each time in one transaction that notes how far it came, so a process may end at any
point and the next goes on. What is there already is written to no second time.
"""

import logging
from collections.abc import Collection, Iterable
from typing import Final

from django.db import DatabaseError, transaction
from django.db.models import Q

from outcomes import bulk
from outcomes.artifacts.commands.uses import note_artifacts, note_sizes
from outcomes.core.groups import DENIED, FAILURE
from outcomes.figures.commands.counting import Change, count
from outcomes.figures.commands.grouping import grouped
from outcomes.jobs.retries import due, try_again_later
from outcomes.models import Call, OldCalls, Session
from outcomes.record import codec
from outcomes.record.artifact_reads import artifact_read
from outcomes.record.codec import digest_of
from outcomes.record.outcome import ToolArtifactReference
from outcomes.record.stored import WholeCall, whole_calls
from outcomes.settling.child_sessions import Child, link_children

AT_ONCE: Final = 200  # whoever writes gets in between
GOES: Final = 20  # before other jobs are looked for

logger = logging.getLogger(__name__)


def waiting_old_calls() -> int:
    return OldCalls.objects.filter(due()).count()


def look_through_old_calls() -> int:
    """Some goes; how many there were, so that others may be asked for in between."""
    goes = 0
    _leave_out_what_others_cover()
    for number in list(OldCalls.objects.filter(due()).values_list("pk", flat=True)):
        try:
            while goes < GOES and look_through_some(number) is False:
                goes += 1
        except DatabaseError:
            logger.exception("Old calls could not be looked through; it is tried again")
            try_again_later(OldCalls.objects.filter(pk=number))
    return goes


def _leave_out_what_others_cover() -> None:
    """Two releases may each have asked for the same calls; all is looked for in each of them."""
    kept: list[tuple[int, int]] = []
    for number, up_to, until in OldCalls.objects.order_by("up_to", "-until", "id").values_list(
        "pk", "up_to", "until"
    ):
        if any(first <= up_to and last >= until for first, last in kept):
            OldCalls.objects.filter(pk=number).delete()
        else:
            kept.append((up_to, until))


@transaction.atomic
def look_through_some(number: int, at_once: int = AT_ONCE) -> bool | None:
    """Whether that was all; None when another process is at it, or has been."""
    old = OldCalls.objects.select_for_update(skip_locked=True).filter(pk=number).first()
    if old is None:
        return None
    ids = list(
        Call.objects.filter(pk__gt=old.up_to, pk__lte=old.until)
        .order_by("pk")
        .values_list("pk", flat=True)[:at_once]
    )
    if not ids:
        old.delete()
        return True
    _look_through(ids)
    old.up_to = ids[-1]
    old.save(update_fields=["up_to"])
    return False


def _look_through(ids: list[int]) -> None:
    # Locked in the order in which they are written to.
    locked = Call.objects.select_for_update(of=("self",)).filter(pk__in=ids)
    rows = list(locked.select_related("artifact").order_by("environment", "digest"))
    whole = whole_calls(rows)
    _note_reads(whole)
    _note_sizes(whole)
    # One that is to leave stays until this is done, or is gone already.
    wanted = sorted({row.session_id for row in rows if row.session_id is not None})
    there = Session.objects.select_for_update().filter(pk__in=wanted).order_by("pk")
    present = set(there.values_list("pk", flat=True))
    _note_parents(whole, present)
    _note_groups(ids)


def _note_reads(whole: Iterable[WholeCall]) -> None:
    reads = {each.row.pk: artifact_read(each.folded) or "" for each in whole}
    known = {each.row.pk: each.row.artifact_read for each in whole}
    new = [number for number, read in reads.items() if read != known[number]]
    rows = Call.objects.filter(pk__in=new).values_list(*codec.CALL_COLUMNS)
    before = [codec.call_row_of(values) for values in rows]
    changes: list[Change] = [(row, row._replace(artifact_read=reads[row.id])) for row in before]
    bulk.update(Call, ("id", "artifact_read"), [(row.id, row.artifact_read) for _, row in changes])
    note_artifacts(changes, {})


def _note_sizes(whole: Iterable[WholeCall]) -> None:
    """Of those that their agents keep: nobody else knows how large they are."""
    sizes = {}
    for each in whole:
        outcome = each.folded.outcome
        if isinstance(outcome, ToolArtifactReference) and outcome.size_bytes:
            key = (each.row.environment_id, digest_of(outcome.artifact_id))
            sizes[key] = outcome.size_bytes
    note_sizes(sizes)


def _note_parents(whole: Iterable[WholeCall], present: Collection[int]) -> None:
    named = {
        Child(each.row.environment_id, each.folded.parent_session_id, each.row.session_id)
        for each in whole
        if each.folded.parent_session_id and each.row.session_id is not None
    }
    link_children(each for each in named if each.session in present)


def _note_groups(ids: Collection[int]) -> None:
    rows = Call.objects.filter(Q(verdict=FAILURE) | Q(kind=DENIED), pk__in=ids, group=None)
    before = [codec.call_row_of(values) for values in rows.values_list(*codec.CALL_COLUMNS)]
    after = grouped(list(before))
    bulk.update(Call, ("id", "group"), [(row.id, row.group) for row in after])
    count(zip(before, after, strict=True))

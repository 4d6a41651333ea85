"""Filling of the search index by a bulk job per project, a few seconds behind settling.

Settling records which events it wrote, in its own transaction. The job indexes their calls and
deletes the record in one transaction, so each step is atomic even if the job is killed. A lease
makes the job the only writer of its project's index.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from outcomes.database import (
    CALLS_PER_COMMIT,
    INDEXED_PER_COMMIT,
    KEEP_ROWS,
    bulk,
    one_of_numbers,
)
from outcomes.jobs import commands as jobs
from outcomes.jobs.pace import Pace
from outcomes.masking.queries.shown_calls import shown_folds
from outcomes.models import Call, Event, IndexedCall, Posting, Principal, SearchIndex, Tool
from outcomes.models import UnindexedEvents as Unindexed
from outcomes.search.domain.tokens import packed, tokens_of, unpacked
from outcomes.search.queries.hits import searchable
from outcomes.search.queries.sources import microseconds, moment
from outcomes.stored.names import ids_of

NOTES_AT_ONCE: Final = 50
AGAIN_AFTER: Final = timedelta(minutes=1)  # after a failed run
_NAMED: Final = ("tool", "environment", "agent", "session")
_POSTING: Final = ("token", "at", "call")
_INDEXED: Final = 'SELECT id, "at", tokens FROM outcomes_indexedcall WHERE id'
_indexes: Final = SearchIndex.objects.all
Status = SearchIndex.Status

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """Index entries of one call."""

    call: int
    at: int
    principal: str
    tokens: frozenset[int]


class LeaseLost(Exception):
    """Another process has claimed the job."""


def note_events(events: Iterable[tuple[int, int]]) -> None:
    """Record events, by project and id, as not indexed yet. Runs in the settling transaction."""
    ranges: dict[int, tuple[int, int, int]] = {}
    for project, number in events:
        first, last, count = ranges.get(project, (number, number, 0))
        ranges[project] = (min(first, number), max(last, number), count + 1)
    rows = [(project, *ranges[project]) for project in sorted(ranges)]
    bulk.insert_missing(Unindexed, ("project", "first", "last", "events"), rows)


def waiting_indexes() -> list[int]:
    """Indexes with pending work, including those whose process died."""
    _create_missing()
    jobs.requeue_lost(_indexes())
    notes = Unindexed.objects.filter(project=OuterRef("project"))
    due = _indexes().filter(Q(status=Status.DONE) | Q(finished_at__lt=timezone.now() - AGAIN_AFTER))
    due = due.filter(finished_at__isnull=False).filter(Q(before__gt=0) | Exists(notes))
    if due.exists():
        due.update(status=Status.QUEUED, tries=0, error="", started_at=None, finished_at=None)
    return jobs.waiting(_indexes())


def run_index(number: int) -> bool:
    """Run an index job. False if its turn ended before its work did."""
    index = jobs.claimed(_indexes(), number)
    if index is None:
        return True
    turn, pace = jobs.Turn(), Pace()
    try:
        while index_some(index, pace):
            if turn.is_over():
                jobs.put_back(index)
                return False
        jobs.end(index, Status.DONE)
    except LeaseLost:
        pass
    except (KeyboardInterrupt, SystemExit, SoftTimeLimitExceeded):
        jobs.put_back(index)
        raise
    except Exception as error:
        logger.exception("Indexing project %d failed", index.project_id)
        jobs.end(index, Status.FAILED, error=f"{type(error).__name__}: {error}"[:500])
    return True


def index_some(index: SearchIndex, pace: Pace) -> bool:
    """One step; False if nothing is left. New events have priority over older calls."""
    return _index_settled(index, pace) or _index_older(index, pace)


def remove_calls(calls: Sequence[int]) -> None:
    """Remove calls from the index, in the transaction that removes the calls."""
    if not calls:
        return
    those, values = one_of_numbers(calls)
    rows = bulk.rows_as_stored(f"{_INDEXED} {those}", values)
    _remove_postings(
        (token, at, call) for call, at, tokens in rows for token in unpacked(bytes(tokens))
    )
    IndexedCall.objects.filter(pk__in=calls).delete()


def _create_missing() -> None:
    projects = Tool.objects.order_by().values_list("project", flat=True).distinct()
    for project in projects.exclude(project__in=_indexes().values("project")):
        before = _end_of_unnoted(project)
        SearchIndex.objects.get_or_create(project_id=project, defaults={"before": before})


def _end_of_unnoted(project: int) -> int:
    """Time before which calls were settled without a record; 0 if all events have one."""
    events = Event.objects.filter(project=project)
    noted = Unindexed.objects.filter(project=project).order_by("first").first()
    if noted is not None and not events.filter(id__lt=noted.first).exists():
        return 0
    newest = Call.objects.filter(project=project).order_by("-at", "-order").first()
    return microseconds(newest.at) + 1 if newest else 0


def _index_settled(index: SearchIndex, pace: Pace) -> bool:
    notes: list[Unindexed] = []
    for note in Unindexed.objects.filter(project=index.project_id).order_by("id")[:NOTES_AT_ONCE]:
        if notes and sum(each.events for each in notes) + note.events > CALLS_PER_COMMIT:
            break
        notes.append(note)
    if not notes:
        return False
    such = Q()
    for note in notes:
        such |= Q(id__gte=note.first, id__lte=note.last)
    events = Event.objects.filter(such, project=index.project_id).order_by("id")
    values = events.values_list("id", "environment", "call_digest")[:CALLS_PER_COMMIT]
    places = [(number, environment, bytes(digest)) for number, environment, digest in values]
    entries = _entries(index.project_id, _calls_of(places))
    last_entries = _write_all_but_last(index, entries, pace)
    with transaction.atomic():
        _write(index, last_entries)
        ids = [note.pk for note in notes]
        if len(places) < CALLS_PER_COMMIT:
            Unindexed.objects.filter(pk__in=ids).delete()
        else:
            last = places[-1][0]
            Unindexed.objects.filter(pk__in=ids, last__lte=last).delete()
            Unindexed.objects.filter(pk__in=ids, first__lte=last).update(first=last + 1)
    return True


def _index_older(index: SearchIndex, pace: Pace) -> bool:
    """Index calls settled before the index existed, newest first."""
    if not index.before:
        return False
    at = moment(index.before)
    older = Call.objects.filter(
        Q(at__lt=at) | Q(at=at, order__lt=index.before_order), project=index.project_id, at__lte=at
    )
    rows = list(older.select_related(*_NAMED).order_by("-at", "-order")[:CALLS_PER_COMMIT])
    place = (0, 0)
    if len(rows) == CALLS_PER_COMMIT:
        place = microseconds(rows[-1].at), rows[-1].order
    last_entries = _write_all_but_last(index, _entries(index.project_id, rows), pace)
    with transaction.atomic():
        _write(index, last_entries, before=place[0], before_order=place[1])
    index.before, index.before_order = place
    return bool(index.before)


def _calls_of(places: Sequence[tuple[int, int, bytes]]) -> list[Call]:
    digests: dict[int, set[bytes]] = {}
    for _, environment, digest in places:
        digests.setdefault(environment, set()).add(digest)
    return [
        row
        for environment, those in digests.items()
        for row in Call.objects.filter(
            environment=environment, digest__in=sorted(those)
        ).select_related(*_NAMED)
    ]


def _entries(project: int, rows: Sequence[Call]) -> list[Entry]:
    entries = []
    for row, folded in shown_folds(rows):
        content = searchable(folded)
        tokens = tokens_of(project, content)
        entries.append(Entry(row.pk, microseconds(row.at), content.principal, tokens))
    return entries


def _write_all_but_last(
    index: SearchIndex, entries: Sequence[Entry], pace: Pace
) -> Sequence[Entry]:
    """Write all but the last chunk in short transactions, and return the last chunk."""
    pieces = [
        entries[start : start + INDEXED_PER_COMMIT]
        for start in range(0, len(entries), INDEXED_PER_COMMIT)
    ]
    for piece in pieces[:-1]:
        with pace.step(), transaction.atomic():
            _write(index, piece)
    return pieces[-1] if pieces else []


def _write(index: SearchIndex, entries: Sequence[Entry], **figures: int) -> None:
    if not jobs.note(index, **figures):
        raise LeaseLost
    present = _still_there([entry.call for entry in entries])
    entries = [entry for entry in entries if entry.call in present]
    project = index.project_id
    names = {(project, entry.principal) for entry in entries if entry.principal}
    principals = ids_of(Principal, "project", names) if names else {}
    calls = [entry.call for entry in entries]
    stored = IndexedCall.objects.filter(pk__in=calls).values_list("pk", "at", "tokens")
    old = {call: _postings(call, at, unpacked(bytes(tokens))) for call, at, tokens in stored}
    new = {entry.call: _postings(entry.call, entry.at, entry.tokens) for entry in entries}
    none = frozenset[tuple[int, int, int]]()
    _remove_postings(row for call, rows in old.items() for row in rows - new[call])
    added = sorted(row for call, rows in new.items() for row in rows - old.get(call, none))
    bulk.insert_missing(Posting, _POSTING, added)
    bulk.put(
        IndexedCall,
        ("id",),
        ("project_id", "at", "principal_id", "tokens"),
        [_row(project, entry, principals) for entry in entries],
    )


def _row(
    project: int, entry: Entry, principals: Mapping[tuple[int, str], int]
) -> tuple[int, int, int, int | None, bytes]:
    principal = principals.get((project, entry.principal))
    return entry.call, project, entry.at, principal, packed(entry.tokens)


def _still_there(calls: Sequence[int]) -> set[int]:
    """Calls that still exist, locked so that they aren't removed during this transaction."""
    if not calls:
        return set()
    those, values = one_of_numbers(calls)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id FROM outcomes_call WHERE id {those}"  # noqa: S608 - our own words
            f" ORDER BY environment_id, digest {KEEP_ROWS}",
            values,
        )
        return {number for (number,) in cursor.fetchall()}


def _postings(call: int, at: int, tokens: frozenset[int]) -> frozenset[tuple[int, int, int]]:
    return frozenset((token, at, call) for token in tokens)


def _remove_postings(rows: Iterable[tuple[int, int, int]]) -> None:
    bulk.remove(Posting, _POSTING, sorted(rows))

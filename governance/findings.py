"""The one way into *needs attention*, for whatever notices something; and the way out of it."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from governance.models import Finding

REFRESHED_EVERY = timedelta(minutes=1)  # what is noticed all the time must not write all the time
MOST_OPEN = 1_000  # of one kind in a project: what agents name must not grow without end

Seen = tuple[str, str]  # the kind and the subject

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a finding says."""

    why: str
    link: str = ""
    environment: str = ""
    agent: str = ""


def found(
    project_id: int,
    kind: str,
    subject: str,
    *,
    why: str,
    link: str = "",
    environment: str = "",
    agent: str = "",
) -> None:
    """Something happened: open a finding, or refresh the open one of this kind and subject."""
    told = _storable(Told(why=why, link=link, environment=environment, agent=agent))
    subject, now = _cut(subject, 400), timezone.now()
    present = _unresolved(project_id, kind).filter(subject=subject).first()
    if present is not None:
        if _needs_refreshing(present, told, now):
            _refresh(present, told, now)
        return
    if _unresolved(project_id, kind).count() >= MOST_OPEN:
        logger.warning("So many findings of the kind %s are open that this one is left out", kind)
        return
    with transaction.atomic():
        # Of several who notice the same at once, the first one opens it.
        Finding.objects.bulk_create(
            [_row(project_id, (kind, subject), told, now)], ignore_conflicts=True
        )


def look(
    project_id: int,
    kinds: Collection[str],
    seen: Mapping[Seen, Told],
    *,
    still: Collection[Seen] = (),
) -> None:
    """All that is so now, of these kinds: open what is new, and resolve what is over.

    What may `still` be so opens nothing and resolves nothing. What was dismissed stays dismissed as
    long as it lasts.
    """
    now = timezone.now()
    told = {(kind, _cut(subject, 400)): _storable(each) for (kind, subject), each in seen.items()}
    present = {
        (row.kind, row.subject): row for row in _unresolved(project_id, *kinds).order_by("id")
    }
    kept = told.keys() | {(kind, _cut(subject, 400)) for kind, subject in still}
    over = [row.pk for place, row in present.items() if place not in kept]
    stale = [
        _changed(present[place], each, now)
        for place, each in told.items()
        if place in present and _needs_refreshing(present[place], each, now)
    ]
    new = [
        _row(project_id, place, each, now, lasts=True)
        for place, each in told.items()
        if place not in present
    ]
    if not over and not stale and not new:
        return
    with transaction.atomic():
        Finding.objects.filter(pk__in=over, resolved_at=None).update(resolved_at=now)
        Finding.objects.bulk_update(
            stale, ["why", "link", "environment", "agent", "last_at", "lasts"], batch_size=100
        )
        Finding.objects.bulk_create(new, batch_size=100, ignore_conflicts=True)


def resolve(project_id: int, kind: str, subject: str) -> bool:
    """Close it, if it is open. Noticed again, it is another finding."""
    rows = _unresolved(project_id, kind).filter(subject=_cut(subject, 400))
    return _close(rows)


def resolve_beginning(project_id: int, kind: str, beginning: str) -> bool:
    """Close all whose subject begins so."""
    # Compared here: SQLite would not mind the case.
    rows = _unresolved(project_id, kind).values_list("pk", "subject")
    fitting = [pk for pk, subject in rows if subject.startswith(_cut(beginning, 400))]
    return _close(_unresolved(project_id, kind).filter(pk__in=fitting))


def _close(rows: QuerySet[Finding]) -> bool:
    if not rows.exists():  # most have none, and a write would wait for the others
        return False
    with transaction.atomic():
        return rows.update(resolved_at=timezone.now()) > 0


def _unresolved(project_id: int, *kinds: str) -> QuerySet[Finding]:
    return Finding.objects.filter(project=project_id, kind__in=kinds, resolved_at=None)


def _row(
    project_id: int, place: Seen, told: Told, now: datetime, *, lasts: bool = False
) -> Finding:
    kind, subject = place
    return Finding(
        project_id=project_id,
        kind=kind,
        subject=subject,
        why=told.why,
        link=told.link,
        environment=told.environment,
        agent=told.agent,
        since=now,
        last_at=now,
        lasts=lasts,
    )


def _needs_refreshing(row: Finding, told: Told, now: datetime) -> bool:
    said = Told(why=row.why, link=row.link, environment=row.environment, agent=row.agent)
    return said != told or row.last_at <= now - REFRESHED_EVERY


def _changed(row: Finding, told: Told, now: datetime) -> Finding:
    row.why, row.link, row.environment = told.why, told.link, told.environment
    row.agent, row.last_at, row.lasts = told.agent, now, True
    return row


def _refresh(row: Finding, told: Told, now: datetime) -> None:
    with transaction.atomic():
        Finding.objects.filter(pk=row.pk, resolved_at=None).update(
            why=told.why,
            link=told.link,
            environment=told.environment,
            agent=told.agent,
            last_at=now,
        )


def _storable(told: Told) -> Told:
    return Told(
        why=_cut(told.why, 4_000),
        link=_cut(told.link, 2_000),
        environment=_cut(told.environment, 128),
        agent=_cut(told.agent, 400),
    )


def _cut(text: str, length: int) -> str:
    # Subjects come from agents too, and no database keeps a NUL or half a character.
    whole = text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return whole[:length]

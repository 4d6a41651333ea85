"""Open, refresh and resolve alerts: the only interface for all code that detects them."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from governance.models import Finding

REFRESHED_EVERY = timedelta(minutes=1)  # limits writes for alerts detected continuously
MOST_OPEN = 1_000  # per kind and project: agents choose subjects, so bound them

WORSE = 1.25  # factor of calls affected since the snooze

FindingKey = tuple[str, str]  # kind and subject

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Content of an alert. The title names the thing and the fact, `why` the cause."""

    why: str
    title: str = ""
    severity: str = "warning"
    impact: int = 0  # calls affected; higher values are listed first
    link: str = ""
    environment: str = ""
    agent: str = ""
    since: datetime | None = None  # when it started; None: now


CONTENT = tuple(field.name for field in fields(Details) if field.name != "since")


def open_finding(
    project_id: int,
    kind: str,
    subject: str,
    *,
    why: str,
    title: str = "",
    severity: str = "warning",
    link: str = "",
    environment: str = "",
    agent: str = "",
) -> None:
    """Open an alert, or refresh the open one of this kind and subject."""
    details = _storable(
        Details(
            why=why,
            title=title,
            severity=severity,
            link=link,
            environment=environment,
            agent=agent,
        )
    )
    subject, now = _cut(subject, 400), timezone.now()
    present = _unresolved(project_id, kind).filter(subject=subject).first()
    if present is not None:
        if _needs_refreshing(present, details, now):
            _refresh(present, details, now)
        return
    if _unresolved(project_id, kind).count() >= MOST_OPEN:
        logger.warning("Too many alerts of kind %s are open; this one is not stored", kind)
        return
    with transaction.atomic():
        # If several processes detect the same alert at once, only the first opens it.
        Finding.objects.bulk_create(
            [_row(project_id, (kind, subject), details, now)], ignore_conflicts=True
        )


def sync_findings(
    project_id: int,
    kinds: Collection[str],
    seen: Mapping[FindingKey, Details],
    *,
    still: Collection[FindingKey] = (),
) -> None:
    """Make the open findings of these kinds match `seen`: open new ones, resolve the others.

    The state of keys in `still` is unknown, so they open and resolve nothing. A dismissed finding
    remains dismissed as long as its cause lasts.
    """
    now = timezone.now()
    details = {
        (kind, _cut(subject, 400)): _storable(each) for (kind, subject), each in seen.items()
    }
    present = {
        (row.kind, row.subject): row for row in _unresolved(project_id, *kinds).order_by("id")
    }
    current = details.keys() | {(kind, _cut(subject, 400)) for kind, subject in still}
    over = [row.pk for place, row in present.items() if place not in current]
    stale = [
        _changed(present[place], each, now)
        for place, each in details.items()
        if place in present and _needs_refreshing(present[place], each, now)
    ]
    new = [
        _row(project_id, place, each, now, lasts=True)
        for place, each in details.items()
        if place not in present
    ]
    if not over and not stale and not new:
        return
    with transaction.atomic():
        Finding.objects.filter(pk__in=over, resolved_at=None).update(resolved_at=now)
        Finding.objects.bulk_update(
            stale, [*CONTENT, "last_at", "lasts", "snoozed_until"], batch_size=100
        )
        Finding.objects.bulk_create(new, batch_size=100, ignore_conflicts=True)


def resolve(project_id: int, kind: str, subject: str) -> bool:
    """Resolve the open finding, if any. If detected again, it becomes a new finding."""
    rows = _unresolved(project_id, kind).filter(subject=_cut(subject, 400))
    return _close(rows)


def resolve_beginning(project_id: int, kind: str, beginning: str) -> bool:
    """Resolve open findings whose subject starts with this text."""
    # Compared in Python, because SQLite would ignore case.
    rows = _unresolved(project_id, kind).values_list("pk", "subject")
    fitting = [pk for pk, subject in rows if subject.startswith(_cut(beginning, 400))]
    return _close(_unresolved(project_id, kind).filter(pk__in=fitting))


def _close(rows: QuerySet[Finding]) -> bool:
    if not rows.exists():  # usually none, and a write would wait for locks
        return False
    with transaction.atomic():
        return rows.update(resolved_at=timezone.now()) > 0


def _unresolved(project_id: int, *kinds: str) -> QuerySet[Finding]:
    return Finding.objects.filter(project=project_id, kind__in=kinds, resolved_at=None)


def _row(
    project_id: int, place: FindingKey, details: Details, now: datetime, *, lasts: bool = False
) -> Finding:
    kind, subject = place
    return Finding(
        project_id=project_id,
        kind=kind,
        subject=subject,
        **_content(details),
        since=details.since or now,
        last_at=now,
        lasts=lasts,
    )


def _needs_refreshing(row: Finding, details: Details, now: datetime) -> bool:
    present = {name: getattr(row, name) for name in CONTENT}
    return present != _content(details) or row.last_at <= now - REFRESHED_EVERY


def _changed(row: Finding, details: Details, now: datetime) -> Finding:
    if _is_worse(row, details):
        row.snoozed_until = None
    for name, value in _content(details).items():
        setattr(row, name, value)
    row.last_at, row.lasts = now, True
    return row


def _is_worse(row: Finding, details: Details) -> bool:
    """Whether a snooze until it gets worse has ended."""
    if row.snoozed_until is None or row.snoozed_impact is None:
        return False
    rose = details.severity == "error" and row.severity != "error"
    return rose or details.impact > WORSE * row.snoozed_impact


def _refresh(row: Finding, details: Details, now: datetime) -> None:
    with transaction.atomic():
        Finding.objects.filter(pk=row.pk, resolved_at=None).update(**_content(details), last_at=now)


def _content(details: Details) -> dict[str, Any]:
    return {name: getattr(details, name) for name in CONTENT}


def _storable(details: Details) -> Details:
    return replace(
        details,
        title=_cut(details.title, 400),
        why=_cut(details.why, 4_000),
        link=_cut(details.link, 2_000),
        environment=_cut(details.environment, 128),
        agent=_cut(details.agent, 400),
    )


def _cut(text: str, length: int) -> str:
    # Agents can set subjects, and databases reject NUL and lone surrogates.
    storable = text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return storable[:length]

"""Archive of calls with their payloads in Parquet files outside the console, one file per day.

A day is archived before any of its data is removed, and only counts once its file is on disk and
has one row per call. Days are UTC days of arrival; a call belongs to the day of its first event.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils import timezone

from governance.models import Project
from outcomes.artifacts.commands.contents import Contents
from outcomes.models import ArchivedDay, Batch, Call, Event
from outcomes.retention.archive_place import ArchivePlace, archive_place, digest_of
from outcomes.retention.archive_rows import COLUMNS, row_of
from outcomes.stored.queries import read_calls, with_names

AT_ONCE: Final = 1_000  # events
MEMORY: Final = "320MB"
LARGEST: Final = 64 * 1024 * 1024  # bytes of one call as JSON; twice that is reserved
MANIFEST: Final = "manifest.json"
_ONE_DAY: Final = timedelta(days=1)


class ArchiveUnavailable(Exception):
    """The archive cannot be written, so nothing may be removed."""


@dataclass(slots=True)
class _Day:
    project: Project
    day: date
    after: int  # last event of the previous day
    last: int = 0
    calls: int = 0

    @property
    def end(self) -> datetime:
        return datetime.combine(self.day + _ONE_DAY, time(), UTC)

    def chunks(self) -> Iterator[list[Call]]:
        """Calls whose first event arrived on this day."""
        self.last = self.after
        while places := self._next_events():
            first, self.last = places[0][0], places[-1][0]
            yield self._calls(places, first)

    def _next_events(self) -> list[tuple[int, int, bytes]]:
        rows = Event.objects.filter(project=self.project, pk__gt=self.last).order_by("pk")
        page = rows.values_list("pk", "environment", "call_digest", "received_at")[:AT_ONCE]
        return [(pk, place, bytes(digest)) for pk, place, digest, at in page if at < self.end]

    def _calls(self, places: list[tuple[int, int, bytes]], first: int) -> list[Call]:
        calls: list[Call] = []
        for environment in {place[1] for place in places}:
            digests = sorted({digest for _, there, digest in places if there == environment})
            rows = Call.objects.filter(environment=environment, digest__in=digests)
            rows = rows.filter(order__gte=first, order__lte=self.last)
            calls += with_names(rows)
        return calls


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    sha256: str
    size: int


def is_on() -> bool:
    return bool(settings.ARCHIVE)


def removable_before(project: Project, before: datetime) -> datetime:
    """Time before which data can be removed: with an archive, only whole days without a
    backlog."""
    if not is_on():
        return before
    waiting = Batch.objects.filter(project=project).order_by("received_at")
    oldest = waiting.values_list("received_at", flat=True).first() or before
    return datetime.combine(min(before, oldest).astimezone(UTC).date(), time(), UTC)


def archive_due(
    project: Project, before: datetime, *, heartbeat: Callable[[], None] = lambda: None
) -> int:
    """Archive the days that are due, and return how many of them had calls."""
    if not is_on():
        return 0
    written = 0
    for day in _due(project, before):
        heartbeat()
        written += bool(_archive(day, heartbeat))
    return written


def _due(project: Project, before: datetime) -> Iterator[_Day]:
    end = removable_before(project, before).date()
    newest = ArchivedDay.objects.filter(project=project).order_by("-day").first()
    if newest is None:
        first = Event.objects.filter(project=project).order_by("pk").first()
        if first is None:
            return
        day, after = first.received_at.astimezone(UTC).date(), 0
    else:
        day, after = newest.day + _ONE_DAY, newest.last_event
    while day < end:
        part = _Day(project, day, after)
        yield part
        day, after = day + _ONE_DAY, part.last


def _archive(day: _Day, heartbeat: Callable[[], None]) -> int:
    try:
        place = archive_place()
        place.drafts.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=place.drafts, prefix="draft-") as name:
            drafts = Path(name)
            _write_lines(day, drafts / "calls.ndjson", heartbeat)
            _note(day, _stored(day, place, drafts) if day.calls else None)
            _write_manifest(day.project, place, drafts)
    except OSError as error:
        raise ArchiveUnavailable(f"The archive cannot be written: {error}.") from error
    return day.calls


def _stored(day: _Day, place: ArchivePlace, drafts: Path) -> _File:
    path = drafts / f"{day.day}.parquet"
    _write_parquet(drafts / "calls.ndjson", path, day)
    file = _File(f"{day.project.slug}/{path.name}", digest_of(path), path.stat().st_size)
    place.store(file.name, path, file.sha256)
    return file


def _write_lines(day: _Day, path: Path, heartbeat: Callable[[], None]) -> None:
    contents = Contents()
    with path.open("w", encoding="utf-8") as file:
        for rows in day.chunks():
            heartbeat()
            for call in read_calls(rows):
                file.write(json.dumps(row_of(call, contents), ensure_ascii=False) + "\n")
                day.calls += 1


def _write_parquet(lines: Path, draft: Path, day: _Day) -> None:
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError as error:
        message = "EDICTUM_SITE_ARCHIVE needs the extra: pip install 'edictum-site[archive]'."
        raise ArchiveUnavailable(message) from error
    columns = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in COLUMNS.items()) + "}"
    with duckdb.connect(config={"memory_limit": MEMORY, "threads": 1}) as database:
        database.execute(f"SET temp_directory = '{_quoted(draft.parent)}'")
        database.execute(
            f"COPY (SELECT * FROM read_json('{_quoted(lines)}', format = 'newline_delimited',"  # noqa: S608 - our own names
            f" columns = {columns}, maximum_object_size = {LARGEST}) ORDER BY tool, called_at)"
            f" TO '{_quoted(draft)}' (FORMAT parquet, COMPRESSION zstd)"
        )
        counted = database.execute(f"SELECT count(*) FROM '{_quoted(draft)}'").fetchone()  # noqa: S608
    if counted != (day.calls,):
        raise ArchiveUnavailable(f"The file of {day.day} has {counted} rows, not {day.calls}.")


def _note(day: _Day, file: _File | None) -> None:
    ArchivedDay.objects.create(
        project=day.project,
        day=day.day,
        calls=day.calls,
        path=file.name if file else "",
        sha256=file.sha256 if file else "",
        size_bytes=file.size if file else 0,
        last_event=day.last,
        archived_at=timezone.now(),
    )


def _write_manifest(project: Project, place: ArchivePlace, drafts: Path) -> None:
    days = ArchivedDay.objects.filter(project=project, calls__gt=0).order_by("day")
    manifest = {
        "project": project.slug,
        "columns": COLUMNS,
        "days": [
            {
                "day": str(row.day),
                "file": Path(row.path).name,
                "calls": row.calls,
                "sha256": row.sha256,
                "size_bytes": row.size_bytes,
            }
            for row in days
        ],
    }
    draft = drafts / MANIFEST
    draft.write_text(json.dumps(manifest, indent=2) + "\n")
    place.store(f"{project.slug}/{MANIFEST}", draft, digest_of(draft))


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")

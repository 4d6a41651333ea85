"""Checks of the database, its clock and schema, of disks, artifacts and orphaned files."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from django.utils import timezone

from edictum_site.doctor.results import Result, ok, problem, warning
from edictum_site.program.place import PROGRAM_NAME
from governance.core.figures import size
from outcomes.artifacts.queries.orphans import Orphans, orphans
from outcomes.core.clock import database_time
from outcomes.database import NAME, durability
from outcomes.database.reading import has_replica, replica_fault
from outcomes.health.commands import problems
from outcomes.ingest.queries.capacity import artifact_disk, bounds, data_disk

LATE: Final = timedelta(seconds=2)
BROKEN: Final = timedelta(seconds=30)  # the lease of a job
SHOWN: Final = 3
LITTLE: Final = 0.1  # share of a disk
ADVICE: Final = {
    "database": "Start the database, or fix DATABASE_URL.",
    "schema": f"{PROGRAM_NAME} migrate, or start the version that the database belongs to.",
    "inbox": "Start the settling worker and free disk space. Posts get 503 until then.",
    "artifacts": "Mount or repair the artifact store, and check who may write to it.",
}


def readiness() -> Iterator[Result]:
    """State of the parts that a post needs, checked as GET /v1/health/ready does."""
    failing = {each.part: each.detail for each in problems()}
    for part, advice in ADVICE.items():
        if part in failing:
            yield problem(part, failing[part], advice)
        elif "database" not in failing or part == "artifacts":
            yield ok(part, _words(part))


def _words(part: str) -> str:
    match part:
        case "database":
            return f"{NAME} accepts writes."
        case "schema":
            return "All migrations of this version are applied, and no others."
        case "inbox":
            return "Posts are accepted."
        case _:
            return "Artifacts can be stored."


def durable() -> Iterator[Result]:
    if unsafe := durability():
        yield problem(
            "durability",
            f"The database has {', '.join(unsafe)} off: a crash loses acknowledged calls.",
            f"Set {', '.join(unsafe)} to on.",
        )
    else:
        yield ok("durability", "A commit is on disk before it is acknowledged.")


def replica() -> Iterator[Result]:
    if why := replica_fault():
        advice = "Pages are read from the database meanwhile. Repair the standby, or unset"
        yield warning("replica", why, f"{advice} DATABASE_REPLICA_URL.")
    elif has_replica():
        yield ok("replica", "Pages are read from a standby of this database.")


def clocks() -> Iterator[Result]:
    before = timezone.now()
    at_database = database_time()
    after = timezone.now()
    # The database answered between these two times, whatever the latency.
    off = max(before - at_database, at_database - after, timedelta(0))
    advice = "Run a time service (chrony, systemd-timesyncd) on this host and the database's."
    detail = f"This host's clock and the database's differ by {off.total_seconds():.1f} s."
    if off >= BROKEN:
        yield problem("clocks", detail, advice)
    elif off >= LATE:
        yield warning("clocks", detail, advice)
    else:
        yield ok("clocks", detail)


def disks() -> Iterator[Result]:
    limits = bounds()
    for disk in filter(None, (data_disk(), artifact_disk())):
        detail = f"The {disk.name} disk has {size(disk.free)} of {size(disk.total)} free."
        if reason := limits.why_no_room(disk):
            yield problem(
                "disk", reason, "Free up space, or lower EDICTUM_SITE_DISK_RESERVE. Posts get 503."
            )
        elif disk.free < LITTLE * disk.total:
            yield warning("disk", detail, "Free up space before posts are rejected.")
        else:
            yield ok("disk", detail)


def lost_and_left() -> Iterator[Result]:
    files = orphans()
    results = [*_missing(files), *_left(files)]
    yield from results or [ok("artifacts", f"{files.rows:,} rows, each with its content.")]


def _missing(files: Orphans) -> Iterator[Result]:
    if files.missing:
        names = ", ".join(files.missing[:SHOWN])
        yield problem(
            "artifacts",
            f"The content of {len(files.missing):,} artifacts is missing: {names}.",
            "Mount the folder that has it, upload the same content again, or restore a backup.",
        )


def _left(files: Orphans) -> Iterator[Result]:
    if files.unnamed:
        yield warning(
            "orphans",
            f"{files.unnamed:,} stored artifacts have no row: leftovers of interrupted work.",
            "They only use space. A task removes them within 2 days: check the queue bulk.",
        )
    if files.drafts:
        yield warning(
            "orphans",
            f"{files.drafts:,} uploads were abandoned more than a day ago.",
            "An hourly task removes them: check that a worker of the queue bulk runs.",
        )

"""Hosts as last reported, in database time."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from outcomes.core.clock import database_time
from outcomes.hosts.domain import SILENT_AFTER, Fingerprint, Seen, State, is_clock_off, state_of
from outcomes.models import Host, Lease

SCHEDULER = "scheduler"


@dataclass(frozen=True, slots=True)
class HostRow:
    name: str
    process: str
    queues: str
    release: str
    state: State
    started_at: datetime
    heard_at: datetime
    silent_for: float  # seconds
    clock_offset: float  # seconds
    is_active: bool  # the process that schedules now

    @property
    def is_clock_off(self) -> bool:
        return is_clock_off(self.clock_offset)


def hosts() -> list[HostRow]:
    """All processes that reported within a day, by host."""
    now, active = database_time(), _active_scheduler()
    rows = Host.objects.order_by("name", "process", "id")
    return [_row(each, now, is_active=each.key in active) for each in rows]


def others_seen(own_keys: list[str]) -> list[Seen]:
    """Fingerprints of all live processes except those being started."""
    since = database_time() - timedelta(seconds=SILENT_AFTER)
    rows = Host.objects.filter(heard_at__gte=since).exclude(key__in=own_keys).order_by("id")
    return [Seen(each.name, Fingerprint(each.secret, each.artifacts, each.broker)) for each in rows]


def is_worker_up() -> bool:
    """Whether the worker of any host is up."""
    since = database_time() - timedelta(seconds=SILENT_AFTER)
    return Host.objects.filter(process=Host.Process.WORKER, heard_at__gte=since).exists()


def is_scheduler_up() -> bool:
    return Lease.objects.filter(name=SCHEDULER, expires_at__gt=database_time()).exists()


def _active_scheduler() -> frozenset[str]:
    rows = Lease.objects.filter(name=SCHEDULER, expires_at__gt=database_time())
    return frozenset(rows.values_list("holder", flat=True))


def _row(host: Host, now: datetime, *, is_active: bool) -> HostRow:
    silent_for = max(0.0, (now - host.heard_at).total_seconds())
    return HostRow(
        name=host.name,
        process=host.process,
        queues=host.queues,
        release=host.release,
        state=state_of(silent_for),
        started_at=host.started_at,
        heard_at=host.heard_at,
        silent_for=silent_for,
        clock_offset=host.clock_offset,
        is_active=is_active,
    )

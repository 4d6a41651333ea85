"""Reports of hosts, and leases that one of them holds."""

import hashlib
import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from outcomes.core.clock import database_time
from outcomes.core.schema import GENERATION
from outcomes.hosts.domain import EVERY, Fingerprint, mismatch
from outcomes.hosts.fingerprints import fingerprint
from outcomes.hosts.queries import others_seen
from outcomes.models import Host, Lease

FORGOTTEN_AFTER: Final = timedelta(days=1)
BROKER_PATIENCE: Final = 2 * EVERY


class HostRefused(Exception):
    """This host's configuration differs from the others'. The message is one sentence."""


def key_of(process: str) -> str:
    """Key of a host's row: one per host, data folder and process, stable across restarts."""
    place = "\0".join((settings.HOST_NAME, str(settings.DATA), process))
    return hashlib.sha256(place.encode()).hexdigest()


def register(processes: Sequence[str]) -> None:
    """Forget old hosts, reject this one if it differs from the others, and add it to the list."""
    forget_old_hosts()
    seen = _fitting_fingerprint(processes)
    for process in processes:
        report(process, seen, started_at=timezone.now())


def _fitting_fingerprint(processes: Sequence[str]) -> Fingerprint:
    keys, ends = [key_of(each) for each in processes], time.monotonic() + BROKER_PATIENCE
    while why := mismatch(seen := fingerprint(), others_seen(keys)):
        # After a restart of Redis, the other hosts send its new id with their next report.
        if why.about != "broker" or time.monotonic() > ends:
            raise HostRefused(why.sentence)
        time.sleep(1)
    return seen


def report(process: str, seen: Fingerprint, *, started_at: datetime, queues: str = "") -> None:
    """Store what this process sees, and its heartbeat."""
    local, now = timezone.now(), database_time()
    values: dict[str, Any] = {
        "name": settings.HOST_NAME,
        "process": process,
        "queues": queues,
        "release": settings.RELEASE,
        "generation": GENERATION,
        "secret": seen.secret,
        "broker": seen.broker,
        "started_at": started_at,
        "heard_at": now,
        "clock_offset": round((local - now).total_seconds(), 1),
    }
    if seen.artifacts:  # keep the value seen at start while the store is unavailable
        values["artifacts"] = seen.artifacts
    key = key_of(process)
    if not Host.objects.filter(key=key).update(**values):
        Host.objects.update_or_create(key=key, defaults=values)


def sign_off(processes: Iterable[str]) -> None:
    """Remove processes that were stopped on purpose, so that they aren't reported as silent."""
    Host.objects.filter(key__in=map(key_of, processes)).delete()


def forget_old_hosts() -> None:
    Host.objects.filter(heard_at__lt=database_time() - FORGOTTEN_AFTER).delete()


def forget_all_hosts() -> None:
    """After a restore: remove the backed-up hosts, which belong to another installation."""
    Host.objects.all().delete()
    Lease.objects.all().delete()


def take_lease(name: str, holder: str, *, seconds: float) -> bool:
    """Take or renew a lease. False while another holder's lease has not expired."""
    now = database_time()
    until = now + timedelta(seconds=seconds)
    free = Lease.objects.filter(Q(holder=holder) | Q(expires_at__lt=now), name=name)
    if free.update(holder=holder, expires_at=until):
        return True
    if Lease.objects.filter(name=name).exists():
        return False
    try:
        with transaction.atomic():
            Lease.objects.create(name=name, holder=holder, expires_at=until)
    except IntegrityError:  # another process was faster
        return False
    return True


def give_up_lease(name: str, holder: str) -> None:
    Lease.objects.filter(name=name, holder=holder).delete()

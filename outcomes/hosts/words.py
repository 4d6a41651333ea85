"""Texts of the Hosts page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from governance.core.figures import counted, duration
from governance.core.texts import code
from outcomes.hosts.domain import State
from outcomes.hosts.queries import HostRow

WORK = {
    "web": "Pages and API",
    "worker": "Settling",
    "jobs": "Jobs",
    "scheduler": "Schedule",
}


@dataclass(frozen=True, slots=True)
class ShownHost:
    row: HostRow
    work: str
    state: str
    is_trouble: bool
    clock: str


def shown(row: HostRow) -> ShownHost:
    is_silent = row.state is State.SILENT
    return ShownHost(
        row,
        work=WORK[row.process],
        state=_state_words(row),
        is_trouble=is_silent or row.is_clock_off,
        clock=_clock_words(row),
    )


def sentence(rows: Sequence[HostRow], *, is_scheduled: bool) -> str:
    """Headline, worst first: no worker, no scheduler, a silent host, a wrong clock."""
    if not rows:
        return "No host has reported yet"
    if not any(each.process == "worker" and each.state is State.UP for each in rows):
        return "No worker settles events"
    if not is_scheduled:
        return "No scheduler is active: periodic tasks wait"
    for each in rows:
        if each.state is State.SILENT:
            return f"{code(each.name)} is silent: {each.process}"
    for each in rows:
        if each.is_clock_off:
            return f"The clock of {code(each.name)} is {_clock_words(each)}"
    hosts = len({each.name for each in rows})
    return f"{counted(hosts, 'host')}, {counted(len(rows), 'process', 'processes')}, all up"


def _state_words(row: HostRow) -> str:
    if row.state is State.SILENT:
        return f"silent for {duration(timedelta(seconds=int(row.silent_for)))}"
    if row.process != "scheduler":
        return "up"
    return "active" if row.is_active else "on standby"


def _clock_words(row: HostRow) -> str:
    if not row.is_clock_off:
        return "in sync"
    off = duration(timedelta(seconds=abs(row.clock_offset)))
    return f"{off} {'ahead' if row.clock_offset > 0 else 'behind'}"

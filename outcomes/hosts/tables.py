"""Columns of the downloaded list of hosts, named as in the API."""

from typing import Final

from governance.core.tables import Columns
from outcomes.hosts.queries import HostRow

HOSTS: Final[Columns[HostRow]] = {
    "name": lambda row: row.name,
    "process": lambda row: row.process,
    "queues": lambda row: row.queues or None,
    "release": lambda row: row.release,
    "state": lambda row: row.state.value,
    "is_active": lambda row: row.is_active,
    "started_at": lambda row: row.started_at,
    "heard_at": lambda row: row.heard_at,
    "clock_offset": lambda row: row.clock_offset,
}

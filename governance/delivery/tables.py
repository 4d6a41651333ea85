"""Columns of downloaded tables."""

from typing import Final

from governance.core.tables import Columns
from governance.delivery.queries.stops import Holder
from governance.models import Assignment, SigningKey

RETIRED_KEYS: Final[Columns[SigningKey]] = {
    "public_key": lambda row: row.public_key,
    "created_at": lambda row: row.created_at,
    "retired_at": lambda row: row.retired_at,
}
ASSIGNMENTS: Final[Columns[Assignment]] = {
    "id": lambda row: row.pk,
    "bundle_name": lambda row: row.bundle.name,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent,
    "tags": lambda row: row.tags,
    "priority": lambda row: row.priority,
    "author": lambda row: row.author,
    "created_at": lambda row: row.created_at,
}
TAKING_OF_STOP: Final[Columns[Holder]] = {
    "agent_id": lambda row: row.agent,
    "taken": lambda row: row.has_acknowledged,
    "told_by_next_call": lambda row: row.is_silent,
    "connected_since": lambda row: row.since,
}

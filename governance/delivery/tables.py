"""The columns of the files that tables are downloaded as."""

from typing import Final

from governance.core.tables import Columns
from governance.delivery.queries.stop_rollout import Holder
from governance.models import (
    SigningKey,
)

RETIRED_KEYS: Final[Columns[SigningKey]] = {
    "public_key": lambda row: row.public_key,
    "created_at": lambda row: row.created_at,
    "retired_at": lambda row: row.retired_at,
}
TAKING_OF_STOP: Final[Columns[Holder]] = {
    "agent_id": lambda row: row.agent,
    "taken": lambda row: row.has_taken,
    "told_by_next_call": lambda row: row.is_silent,
    "connected_since": lambda row: row.since,
}

"""Columns of table files, named as in the API."""

from typing import Final

from governance.core.masking import masked_text
from governance.core.tables import Columns
from outcomes.ingest.queries.inbox import Fault, shown_excerpt
from outcomes.models import Batch, RejectedItem

REJECTED: Final[Columns[RejectedItem]] = {
    "received_at": lambda row: row.received_at,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent or None,
    "source": lambda row: row.source,
    "index": lambda row: row.index,
    "code": lambda row: row.code,
    "detail": lambda row: masked_text(row.detail)[0],
    "excerpt": lambda row: shown_excerpt(row),
}
BATCHES: Final[Columns[Batch]] = {
    "id": lambda row: row.pk,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent or None,
    "items": lambda row: row.items,
    "tries": lambda row: row.tries,
    "error": lambda row: masked_text(row.error)[0],
    "received_at": lambda row: row.received_at,
    "set_aside_at": lambda row: row.set_aside_at,
}
FAULTS: Final[Columns[Fault]] = {
    "error": lambda row: row.error,
    "batches": lambda row: row.batches,
    "items": lambda row: row.items,
    "oldest_received_at": lambda row: row.oldest,
    "next_try_at": lambda row: row.next_try,
}

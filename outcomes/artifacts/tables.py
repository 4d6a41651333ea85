"""Columns of downloaded tables, named as in the API."""

from typing import Final

from governance.contracts.queries.naming import Naming
from governance.core.masking import masked_beginning
from governance.core.tables import Columns
from outcomes.artifacts.queries.list import ArtifactRow

ARTIFACTS: Final[Columns[ArtifactRow]] = {
    "artifact_id": lambda row: row.use.name,
    "environment": lambda row: row.use.environment.name,
    "stored": lambda row: row.use.artifact is not None,
    "media_type": lambda row: row.use.artifact.media_type if row.use.artifact else None,
    "size_bytes": lambda row: row.use.size_bytes,
    "stored_bytes": lambda row: row.stored_bytes,
    "summary": lambda row: masked_beginning(row.newest.detail) if row.newest else None,
    "agents": lambda row: row.agents,
    "newest_tool": lambda row: row.newest.tool.name if row.newest else None,
    "newest_call_id": lambda row: row.newest.call_id if row.newest else None,
    "references": lambda row: row.use.calls,
    "reads": lambda row: row.use.reads,
    "requests": lambda row: row.use.artifact.fetches if row.use.artifact else None,
    "first_at": lambda row: row.use.first_at,
    "last_at": lambda row: row.use.last_at,
}
NAMING: Final[Columns[Naming]] = {
    "document": lambda row: row.name,
    "is": lambda row: row.kind,
    "version": lambda row: row.number,
    "test": lambda row: row.test or None,
}

"""Columns of the downloadable tables."""

from typing import Any, Final

from governance.core.tables import Columns

REQUESTS: Final[Columns[dict[str, Any]]] = {
    "id": lambda row: row["asked"].pk,
    "contract": lambda row: row["asked"].version.bundle.name,
    "version": lambda row: row["asked"].version.number,
    "environment": lambda row: row["asked"].environment.name,
    "status": lambda row: row["standing"],
    "author": lambda row: row["asked"].author,
    "message": lambda row: row["asked"].message,
    "decided_by": lambda row: row["asked"].decided_by or None,
    "reason": lambda row: row["asked"].reason or None,
    "created_at": lambda row: row["asked"].created_at,
    "expires_at": lambda row: row["asked"].expires_at,
    "ended_at": lambda row: row["asked"].ended_at,
}

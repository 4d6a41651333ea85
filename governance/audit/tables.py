"""Columns of the downloadable audit log."""

from typing import Final

from governance.core.tables import Columns
from governance.models import AuditEntry

AUDIT_LOG: Final[Columns[AuditEntry]] = {
    "number": lambda row: row.number,
    "at": lambda row: row.at,
    "actor": lambda row: row.actor,
    "action": lambda row: row.action,
    "subject": lambda row: row.subject,
    "details": lambda row: row.details,
    "address": lambda row: row.address,
    "user_agent": lambda row: row.user_agent,
    "previous_hash": lambda row: row.previous_hash,
    "hash": lambda row: row.hash,
}

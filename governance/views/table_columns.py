"""What the files of tables hold: the columns of each list. Of keys what is shown of them, never
what they are."""

from typing import Final

from governance.domain.bindings import Binding
from governance.domain.tables import Columns
from governance.models import ApiKey, AuditEntry, CheckVersion
from governance.queries.bundles import ListedBundle

AUDIT_LOG: Final[Columns[AuditEntry]] = {
    "number": lambda row: row.number,
    "at": lambda row: row.at,
    "actor": lambda row: row.actor,
    "action": lambda row: row.action,
    "subject": lambda row: row.subject,
    "details": lambda row: row.details,
    "previous_hash": lambda row: row.previous_hash,
    "hash": lambda row: row.hash,
}
KEYS: Final[Columns[ApiKey]] = {
    "id": lambda row: row.pk,
    "name": lambda row: row.name,
    "hint": lambda row: row.hint,
    "environment": lambda row: row.environment.name,
    "scopes": lambda row: row.scopes,
    "agent": lambda row: row.agent or None,
    "assigned_only": lambda row: row.assigned_only,
    "dialect": lambda row: row.dialect or None,
    "created_by": lambda row: row.created_by,
    "created_at": lambda row: row.created_at,
    "last_used_at": lambda row: row.last_used_at,
    "expires_at": lambda row: row.expires_at,
    "revoked_at": lambda row: row.revoked_at,
}
CONTRACTS: Final[Columns[ListedBundle]] = {
    "name": lambda row: row.name,
    "version": lambda row: row.newest.number,
    "revision_hash": lambda row: row.newest.revision_hash,
    "live": lambda row: {each.environment.name: each.version.number for each in row.live},
    "message": lambda row: row.newest.message,
    "author": lambda row: row.newest.author,
    "created_at": lambda row: row.newest.created_at,
}
CHECKS: Final[Columns[CheckVersion]] = {
    "name": lambda row: row.name,
    "version": lambda row: row.number,
    "description": lambda row: row.description,
    "message": lambda row: row.message,
    "author": lambda row: row.author,
    "created_at": lambda row: row.created_at,
}
BINDINGS: Final[Columns[Binding]] = {
    "environment": lambda row: row.environment,
    "agent": lambda row: row.agent,
    "tool": lambda row: row.tool,
    "check": lambda row: row.check,
}

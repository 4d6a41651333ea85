"""Columns of the downloadable tables of checks, bindings and drafts."""

from typing import Final

from governance.checks.domain import Binding
from governance.checks.queries.checks import Ours
from governance.core.tables import Columns
from governance.models import (
    CheckDraft,
    CheckVersion,
)

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
CHECK_DRAFTS: Final[Columns[tuple[CheckDraft, str]]] = {
    "check": lambda row: row[0].success_check.name if row[0].success_check else row[1] or None,
    "from_version": lambda row: row[0].base or None,
    "kept_at": lambda row: row[0].kept_at,
}
SHIPPED: Final[Columns[Ours]] = {
    "name": lambda row: row.name,
    "version": lambda row: row.version,
    "description": lambda row: row.description,
    "rules": lambda row: row.rules,
}
CHECK_VERSIONS: Final[Columns[CheckVersion]] = {
    "version": lambda row: row.number,
    "message": lambda row: row.message,
    "author": lambda row: row.author,
    "includes": lambda row: {each["name"]: each["version"] for each in row.included},
    "created_at": lambda row: row.created_at,
}

"""What the files of tables hold: the columns of each list. Of keys what is shown of them, never
what they are."""

from typing import Any, Final

from governance.cases.domain.cases import Result
from governance.checks.domain.bindings import Binding
from governance.checks.queries.checks import Ours
from governance.contracts.queries.bundles import ListedBundle
from governance.contracts.queries.naming_rules import LiveRule
from governance.core.tables import Columns
from governance.delivery.queries.stop_rollout import Holder
from governance.deployments.domain import Required
from governance.models import (
    ApiKey,
    AuditEntry,
    BundleVersion,
    Case,
    CheckDraft,
    CheckVersion,
    Deployment,
    Draft,
    Invitation,
    Member,
    SigningKey,
)

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
MEMBERS: Final[Columns[Member]] = {
    "email": lambda row: row.user.email,
    "role": lambda row: row.role,
    "since": lambda row: row.created_at,
    "last_signed_in_at": lambda row: row.user.last_login,
    "active": lambda row: row.user.is_active,
}
INVITATIONS: Final[Columns[Invitation]] = {
    "email": lambda row: row.email,
    "role": lambda row: row.role,
    "expires_at": lambda row: row.expires_at,
}
ENVIRONMENTS: Final[Columns[tuple[str, Required]]] = {
    "environment": lambda row: row[0],
    "second_person": lambda row: row[1].second_person,
    "max_newly_denied": lambda row: row[1].max_newly_denied,
}
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
CASES: Final[Columns[tuple[Case, Result | None]]] = {
    "name": lambda row: row[0].name,
    "passed": lambda row: row[1].passed if row[1] else None,
    "expected": lambda row: row[1].expected if row[1] else None,
    "got": lambda row: row[1].got if row[1] else None,
    "author": lambda row: row[0].author,
    "changed_at": lambda row: row[0].changed_at,
}
RETIRED_KEYS: Final[Columns[SigningKey]] = {
    "public_key": lambda row: row.public_key,
    "created_at": lambda row: row.created_at,
    "retired_at": lambda row: row.retired_at,
}
DRAFTS: Final[Columns[Draft]] = {
    "contract": lambda row: row.bundle.name if row.bundle else None,
    "from_version": lambda row: row.base or None,
    "kept_at": lambda row: row.kept_at,
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
LIVE: Final[Columns[Deployment]] = {
    "environment": lambda row: row.environment.name,
    "version": lambda row: row.version.number,
    "created_at": lambda row: row.created_at,
    "author": lambda row: row.author,
    "approved_by": lambda row: row.approved_by or None,
}
VERSIONS: Final[Columns[BundleVersion]] = {
    "version": lambda row: row.number,
    "message": lambda row: row.message,
    "author": lambda row: row.author,
    "revision_hash": lambda row: row.revision_hash,
    "created_at": lambda row: row.created_at,
}
CHECK_VERSIONS: Final[Columns[CheckVersion]] = {
    "version": lambda row: row.number,
    "message": lambda row: row.message,
    "author": lambda row: row.author,
    "includes": lambda row: {each["name"]: each["version"] for each in row.included},
    "created_at": lambda row: row.created_at,
}
NAMING_RULES: Final[Columns[LiveRule]] = {
    "rule": lambda row: row.rule.id,
    "contract": lambda row: row.contract,
    "version": lambda row: row.version,
    "environments": lambda row: list(row.environments),
    "says": lambda row: row.rule.says,
}
TAKING_OF_STOP: Final[Columns[Holder]] = {
    "agent_id": lambda row: row.agent,
    "taken": lambda row: row.has_taken,
    "told_by_next_call": lambda row: row.is_silent,
    "connected_since": lambda row: row.since,
}

"""Columns of the tables that can be downloaded."""

from typing import Final

from governance.core.deployment_requests import Required
from governance.core.tables import Columns
from governance.models import (
    ApiKey,
    Invitation,
    Member,
)

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
    "last_used_from": lambda row: row.last_used_from or None,
    "rotated_at": lambda row: row.rotated_at,
    "previous_until": lambda row: row.previous_until,
    "networks": lambda row: row.networks,
    "requests_per_minute": lambda row: row.requests_per_minute,
    "items_per_minute": lambda row: row.items_per_minute,
    "expires_at": lambda row: row.expires_at,
    "revoked_at": lambda row: row.revoked_at,
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

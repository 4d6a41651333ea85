"""Schemas of keys in the API."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field

from governance.models import ApiKey
from governance.people.commands.key_rotation import LONGEST_OVERLAP, USUAL_OVERLAP
from governance.people.domain import Scope


def _in_utc(at: datetime) -> datetime:
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError("this time is outside the years 1 to 9999") from None


class KeyIn(Schema):
    # A restriction with a misspelt name must not make a key without that restriction.
    model_config = ConfigDict(extra="forbid")

    name: str
    env: str
    scopes: list[Scope]
    agent: str = ""
    assigned_only: bool = False
    dialect: Literal["", "old", "new"] = ""
    expires: Annotated[AwareDatetime, AfterValidator(_in_utc)] | None = None
    networks: list[str] = []
    requests_per_minute: int | None = None
    items_per_minute: int | None = None


class KeyLimitsIn(Schema):
    model_config = ConfigDict(extra="forbid")

    networks: list[str] = []
    requests_per_minute: int | None = None
    items_per_minute: int | None = None


class RotationIn(Schema):
    model_config = ConfigDict(extra="forbid")

    overlap_hours: int = Field(USUAL_OVERLAP, ge=0, le=LONGEST_OVERLAP)


class KeyOut(Schema):
    id: int
    name: str
    hint: str
    env: str
    scopes: list[str]
    agent: str
    assigned_only: bool
    dialect: str
    created_by: str
    created_at: datetime
    expires: datetime | None
    last_used_at: datetime | None
    last_used_from: str | None
    rotated_at: datetime | None
    previous_until: datetime | None
    previous_used_at: datetime | None
    networks: list[str]
    requests_per_minute: int | None
    items_per_minute: int | None
    revoked_at: datetime | None


class NewKeyOut(KeyOut):
    key: str  # returned only here


class KeysOut(Schema):
    keys: list[KeyOut]
    next: str | None


class KeysQuery(Schema):
    limit: int = Field(50, ge=1, le=1_000)
    cursor: int | None = Field(None, ge=1)


def key_out(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.pk,
        "name": key.name,
        "hint": key.hint,
        "env": key.environment.name,
        "scopes": key.scopes,
        "agent": key.agent,
        "assigned_only": key.assigned_only,
        "dialect": key.dialect,
        "created_by": key.created_by,
        "created_at": key.created_at,
        "expires": key.expires_at,
        "last_used_at": key.last_used_at,
        "last_used_from": key.last_used_from or None,
        "rotated_at": key.rotated_at,
        "previous_until": key.previous_until,
        "previous_used_at": key.previous_used_at,
        "networks": key.networks,
        "requests_per_minute": key.requests_per_minute,
        "items_per_minute": key.items_per_minute,
        "revoked_at": key.revoked_at,
    }

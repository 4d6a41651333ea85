"""Schemas of keys in the API."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field

from governance.models import ApiKey
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
        "revoked_at": key.revoked_at,
    }

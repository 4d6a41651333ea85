"""API keys over HTTP: create (shown once), list, revoke."""

from typing import Any

from ninja import Query, Router, Status

from governance.core.errors import NotFound
from governance.models import ApiKey
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.commands import key_rotation
from governance.people.commands import keys as commands_keys
from governance.people.commands.keys import KeyLimits
from governance.people.policies import Action
from governance.people.queries.keys import key_numbered, keys_before
from governance.people.queries.projects import project_numbered
from governance.people.schemas import (
    KeyIn,
    KeyLimitsIn,
    KeyOut,
    KeysOut,
    KeysQuery,
    NewKeyOut,
    RotationIn,
    key_out,
)

router = Router(tags=["keys"])


@router.post("/keys", response={201: NewKeyOut}, auth=KeyOrMember(action=Action.MANAGE_KEYS))
def create_key(request: AccessRequest, body: KeyIn) -> Status[dict[str, Any]]:
    project, fields = project_numbered(request.auth.project_id), body.model_dump()
    limits = KeyLimits(**{name: fields.pop(name) for name in KeyLimitsIn.model_fields})
    text, key = commands_keys.make_key(project, **fields, limits=limits, by=request.auth.actor)
    return Status(201, key_out(key) | {"key": text})


@router.get("/keys", response=KeysOut, auth=KeyOrMember("read"))
def list_keys(request: AccessRequest, page: Query[KeysQuery]) -> dict[str, Any]:
    project = project_numbered(request.auth.project_id)
    keys = keys_before(project, page.cursor, page.limit + 1)
    shown = keys[: page.limit]
    more = len(keys) > len(shown)
    return {
        "keys": [key_out(key) for key in shown],
        "next": str(shown[-1].pk) if more else None,
    }


@router.delete("/keys/{int:key_id}", response=KeyOut, auth=KeyOrMember(action=Action.MANAGE_KEYS))
def revoke_key(request: AccessRequest, key_id: int) -> dict[str, Any]:
    return key_out(commands_keys.revoke_key(_key(request, key_id), by=request.auth.actor))


@router.put(
    "/keys/{int:key_id}/limits", response=KeyOut, auth=KeyOrMember(action=Action.MANAGE_KEYS)
)
def limit_key(request: AccessRequest, key_id: int, body: KeyLimitsIn) -> dict[str, Any]:
    """Networks and limits per minute; what is not named is no limit."""
    limits = KeyLimits(**body.model_dump())
    key = commands_keys.limit_key(_key(request, key_id), limits, by=request.auth.actor)
    return key_out(key)


@router.post(
    "/keys/{int:key_id}/rotations",
    response={201: NewKeyOut},
    auth=KeyOrMember(action=Action.MANAGE_KEYS),
)
def rotate_key(request: AccessRequest, key_id: int, body: RotationIn) -> Status[dict[str, Any]]:
    """A new value for the key; the old one stays valid for the overlap."""
    key = _key(request, key_id)
    text, key = key_rotation.rotate_key(
        key, overlap_hours=body.overlap_hours, by=request.auth.actor
    )
    return Status(201, key_out(key) | {"key": text})


@router.delete(
    "/keys/{int:key_id}/previous-value",
    response=KeyOut,
    auth=KeyOrMember(action=Action.MANAGE_KEYS),
)
def end_previous_value(request: AccessRequest, key_id: int) -> dict[str, Any]:
    key = key_rotation.end_previous_value(_key(request, key_id), by=request.auth.actor)
    return key_out(key)


def _key(request: AccessRequest, key_id: int) -> ApiKey:
    key = key_numbered(project_numbered(request.auth.project_id), key_id)
    if key is None:
        raise NotFound("Key not found.")
    return key

"""API keys over HTTP: create (shown once), list, revoke."""

from typing import Any

from ninja import Query, Router, Status

from governance.core.errors import NotFound
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.commands import keys as commands_keys
from governance.people.policies import Action
from governance.people.queries.keys import key_numbered, keys_before
from governance.people.queries.projects import project_numbered
from governance.people.schemas import KeyIn, KeyOut, KeysOut, KeysQuery, NewKeyOut, key_out

router = Router(tags=["keys"])


@router.post("/keys", response={201: NewKeyOut}, auth=KeyOrMember(action=Action.MANAGE_KEYS))
def create_key(request: AccessRequest, body: KeyIn) -> Status[dict[str, Any]]:
    project = project_numbered(request.auth.project_id)
    text, key = commands_keys.make_key(project, **body.model_dump(), by=request.auth.actor)
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
    project = project_numbered(request.auth.project_id)
    key = key_numbered(project, key_id)
    if key is None:
        raise NotFound("Key not found.")
    return key_out(commands_keys.revoke_key(key, by=request.auth.actor))

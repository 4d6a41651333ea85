"""API routes for the public signing key and its rotation."""

from datetime import datetime
from typing import Any

from ninja import Router, Schema, Status

from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import NotFound
from governance.delivery.commands import signing
from governance.models import SigningKey
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered
from governance.signing import signing_key_in_use

router = Router(tags=["signing"])


class SigningKeyOut(Schema):
    public_key: str  # 64 hex digits
    created_at: datetime


@router.get("/signing-key", response=SigningKeyOut, auth=KeyOrMember("read"))
def get_signing_key(request: AccessRequest) -> dict[str, Any]:
    project = project_numbered(request.auth.project_id)
    key = signing_key_in_use(project)
    if key is None:
        raise NotFound("This project has no signing key yet. The first deployment creates it.")
    return _fields(key)


@router.post(
    "/signing-key/rotations",
    response={201: SigningKeyOut},
    auth=KeyOrMember(action=Action.MANAGE_SETTINGS),
    openapi_extra=MAY_CONFLICT,
)
def rotate_signing_key(request: AccessRequest) -> Status[dict[str, Any]]:
    project = project_numbered(request.auth.project_id)
    return Status(201, _fields(signing.rotate_signing_key(project, by=request.auth.actor)))


def _fields(key: SigningKey) -> dict[str, Any]:
    return {"public_key": key.public_key, "created_at": key.created_at}

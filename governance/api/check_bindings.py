"""Over HTTP: which check judges which calls, read and replaced whole."""

from typing import Any

from ninja import Router

from governance import queries
from governance.api.conflicts import MAY_CONFLICT
from governance.auth import AccessRequest, KeyOrMember
from governance.commands.check_bindings import bind
from governance.policies import Action
from governance.queries.check_bindings import bindings_of
from governance.schemas.checks import BindingsIn, BindingsOut, bindings_out

router = Router(tags=["success checks"])


@router.get("/success-check-bindings", response=BindingsOut, auth=KeyOrMember("read"))
def get_bindings(request: AccessRequest) -> dict[str, Any]:
    return bindings_out(bindings_of(request.auth.project_id))


@router.put(
    "/success-check-bindings",
    response=BindingsOut,
    auth=KeyOrMember(action=Action.WRITE_BINDING),
    openapi_extra=MAY_CONFLICT,
)
def put_bindings(request: AccessRequest, body: BindingsIn) -> dict[str, Any]:
    """With a `revision` only when it is the present one."""
    project = queries.project_numbered(request.auth.project_id)
    changed = bind(project, body.lines(), revision=body.revision, by=request.auth.actor)
    return bindings_out(changed)

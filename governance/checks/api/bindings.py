"""Over HTTP: which check judges which calls, read and replaced whole."""

from typing import Any

from ninja import Router

from governance.checks.commands.bindings import bind
from governance.checks.queries.bindings import bindings_of
from governance.checks.schemas import BindingsIn, BindingsOut, bindings_out
from governance.core.conflicts import MAY_CONFLICT
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered

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
    project = project_numbered(request.auth.project_id)
    changed = bind(project, body.lines(), revision=body.revision, by=request.auth.actor)
    return bindings_out(changed)

"""API routes for the document in force for an agent, in the dialect that its SDK reads."""

import logging
from base64 import b64encode
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from ninja import Router

from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import Forbidden, NotFound
from governance.delivery import news
from governance.delivery.commands.documents import note_fetch
from governance.delivery.queries.documents import (
    ServedDocument,
    assignable_bundles,
    served_document,
)
from governance.people.auth import AGENT_HEADER, Access, AccessRequest, KeyAuth
from governance.people.commands.key_findings import note_manage_key
from governance.people.domain import Scope
from governance.texts.dialect import Dialect, dialect_spoken

logger = logging.getLogger(__name__)
router = Router(tags=["documents"])
CAN_ACT = KeyAuth("agent")
NOBODY = "unknown"  # an agent that sends no name


@router.get(
    "/bundles/{name}/current", auth=CAN_ACT, response={200: None}, openapi_extra=MAY_CONFLICT
)
def get_current_bundle(request: AccessRequest, name: str, env: str = "") -> JsonResponse:
    return _current(request, name, env)


@router.get(
    "/rulesets/{name}/current", auth=CAN_ACT, response={200: None}, openapi_extra=MAY_CONFLICT
)
def get_current_ruleset(request: AccessRequest, name: str, env: str = "") -> JsonResponse:
    return _current(request, name, env)


def _current(request: AccessRequest, name: str, env: str) -> JsonResponse:
    access, agent = request.auth, _agent_named_by(request)
    environment_id = access.environment_id
    if environment_id is None or env not in ("", access.environment):
        raise Forbidden(f"This key is for {access.environment} only.", code="environment")
    if not access.admits_agent(agent):
        raise Forbidden(
            f"This key is not valid for the agent {agent}. Use one of its own keys.", code="agent"
        )
    dialect = dialect_spoken(access.dialect, request.path_info)
    served = served_document(access.project_id, environment_id, name, agent, dialect)
    if served is None or not (served.stopped or _may_have(access, name, agent)):
        raise NotFound(f"{access.environment} has no {name} deployed for this agent.")
    _notice(request, agent, dialect)
    news.note_fetched(
        access.project_id,
        access.environment,
        agent,
        served.revision_hash,
        stopped=served.stopped,
    )
    return JsonResponse(_fields(served))


def _fields(served: ServedDocument) -> dict[str, Any]:
    return {
        "name": served.name,
        "bundle_name": served.bundle_name,
        "version": served.version,
        "env": served.env,
        "revision_hash": served.revision_hash,
        "yaml": served.document.decode(),
        "yaml_bytes": b64encode(served.document).decode(),
        "signature": served.signature,
        "public_key": served.public_key or None,
        "stopped": served.stopped,
    }


def _may_have(access: Access, name: str, agent: str) -> bool:
    return not access.assigned_only or name in assignable_bundles(
        access.project_id, access.environment_id or 0, agent
    )


def _notice(request: AccessRequest, agent: str, dialect: Dialect) -> None:
    access, key_id = request.auth, request.auth.actor.id
    if access.environment_id is None or key_id is None:
        return
    try:
        if dialect is Dialect.OLD and not access.dialect:
            note_fetch(access.environment_id, agent, key_id=key_id)
    except DatabaseError:  # don't reject an agent over a read-only or busy database
        logger.warning("Could not record that an agent fetched its document", exc_info=True)
    notice_manage_key(access, agent)


def notice_manage_key(access: Access, agent: str) -> None:
    """Open an alert if an agent uses a manage key to fetch a document or open a stream."""
    key_id = access.actor.id
    if key_id is None or Scope.MANAGE not in access.scopes:
        return
    try:
        note_manage_key(
            access.project_id,
            key_id=key_id,
            name=access.actor.label,
            environment=access.environment,
            agent=agent,
            link=reverse("governance:keys", args=[access.project_slug]),
        )
    except DatabaseError:  # as above
        logger.warning("Could not record that an agent uses a manage key", exc_info=True)


def _agent_named_by(request: HttpRequest) -> str:
    # A name that is too long, or that no column can store, counts as none.
    agent = request.headers.get(AGENT_HEADER, "")
    return agent if 0 < len(agent) <= 128 and "\0" not in agent else NOBODY

"""Stream admission: checks the key and the request; the front holds the connection.

No database connection or thread is held after the response, so this route streams nothing.
"""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import Conflict, Forbidden, InvalidInput
from governance.core.texts import is_storable
from governance.delivery.api.documents import notice_manage_key
from governance.delivery.news import Place
from governance.delivery.queries.streams import StreamRequest
from governance.people.auth import AGENT_HEADER, Access, AccessRequest, KeyAuth
from governance.texts.dialect import dialect_spoken

REQUEST = "asked"  # key in the front's memory of a request
NOBODY = "unknown"  # an agent that sends no name
LONGEST_AGENT = LONGEST_BUNDLE = 128
MOST_TAGS, LONGEST_TAG_NAME, LONGEST_TAG_VALUE = 64, 128, 256  # the SDKs' own limits

router = Router(tags=["documents"])


@router.get("/stream", auth=KeyAuth("agent"), response={200: None}, openapi_extra=MAY_CONFLICT)
def open_stream(
    request: AccessRequest,
    env: str = "",
    bundle_name: str = "",
    policy_version: str = "",
    tags: str = "",
) -> HttpResponse:
    memory = request.META.get("edictum.memory")
    access, key_id = request.auth, request.auth.actor.id
    environment_id = access.environment_id
    if environment_id is None or key_id is None or env not in ("", access.environment):
        raise Forbidden(f"This key is for {access.environment} only.", code="environment")
    stream_request = StreamRequest(
        place=Place(access.project_id, environment_id),
        environment=access.environment,
        key_id=key_id,
        agent=_agent(request, access),
        bundle=_fitting("bundle_name", bundle_name, LONGEST_BUNDLE),
        revision=_fitting("policy_version", policy_version, 64).lower(),
        dialect=dialect_spoken(access.dialect, request.path_info),
        tags=_tags(tags),
        # TypeScript's client names no bundle: it gets notices of all and picks its own by name.
        watches=not env and not bundle_name,
        assigned_only=access.assigned_only,
    )
    if memory is None:
        raise Conflict(
            "This server does not support streams. Start it with the command `up` or `web`.",
            code="no_stream",
        )
    memory[REQUEST] = stream_request
    notice_manage_key(access, stream_request.agent)
    return HttpResponse(headers={"X-Edictum-Stream": "1"})


def _agent(request: HttpRequest, access: Access) -> str:
    agent = _fitting(AGENT_HEADER, request.headers.get(AGENT_HEADER, ""), LONGEST_AGENT) or NOBODY
    if not access.admits_agent(agent):
        raise Forbidden(
            f"This key is not valid for the agent {agent}. Use one of its own keys.", code="agent"
        )
    return agent


def _tags(text: str) -> dict[str, str]:
    try:
        tags: Any = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        tags = None
    fits = (
        isinstance(tags, dict)
        and len(tags) <= MOST_TAGS
        and all(
            isinstance(value, str)
            and len(name) <= LONGEST_TAG_NAME
            and len(value) <= LONGEST_TAG_VALUE
            for name, value in tags.items()
        )
    )
    if not fits:
        raise InvalidInput.at(
            "tags", f"Tags are a JSON object with at most {MOST_TAGS} short string values."
        )
    return dict(tags)


def _fitting(name: str, text: str, longest: int) -> str:
    if len(text) > longest or not is_storable(text):
        raise InvalidInput.at(name, f"{name} has at most {longest} characters, and no NUL.")
    return text

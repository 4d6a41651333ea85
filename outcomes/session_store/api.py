"""The SDKs' session store. Its keys are the whole rest of the path, slashes and all.

An agent waits for ten of these answers per call, one after the other, and the framework takes as
long as all the rest: `session_store` is the short way to the same functions.
"""

from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from governance.core.errors import NotFound
from governance.people.auth import AGENT_HEADER, AccessRequest, KeyAuth
from outcomes.session_store.commands import session_store as commands_session_store
from outcomes.session_store.commands.owners import refuse_foreign_sessions
from outcomes.session_store.domain import NO_SUCH_KEY
from outcomes.session_store.queries import stored_value, stored_values
from outcomes.session_store.wire.session_store import read_amount, read_key, read_keys, read_value
from outcomes.web.api import COUNTED, KEYS, VALUE, answer, router

CAN_ACT = KeyAuth("agent", is_limited=False)
INCREMENT = "/increment"
# Asked of META, as the key is: to read all headers takes longer than to count.
_AGENT_IN_META = f"HTTP_{AGENT_HEADER.upper().replace('-', '_')}"


@router.post("/sessions/batch", auth=CAN_ACT, response={200: None}, openapi_extra=KEYS)
def get_session_values(request: AccessRequest) -> HttpResponse:
    keys = read_keys(request.body)
    refuse_foreign_sessions(keys, request.auth)
    return answer({"values": stored_values(request.auth.environment_id, keys)})


@router.post(
    "/sessions/{rest:key}/increment", auth=CAN_ACT, response={200: None}, openapi_extra=COUNTED
)
def increment_session_value(request: AccessRequest, key: str) -> HttpResponse:
    key, amount = read_key(key), read_amount(request.body)
    refuse_foreign_sessions([key], request.auth, begins=True)
    counted = commands_session_store.count_up(
        key, amount, access=request.auth, agent=_agent_of(request)
    )
    return answer({"value": counted})


@router.get("/sessions/{rest:key}", auth=CAN_ACT, response={200: None})
def get_session_value(request: AccessRequest, key: str) -> HttpResponse:
    key = read_key(key)
    refuse_foreign_sessions([key], request.auth)
    value = stored_value(request.auth.environment_id, key)
    if value is None:
        raise NotFound(NO_SUCH_KEY)
    return answer({"value": value})


@router.put("/sessions/{rest:key}", auth=CAN_ACT, response={200: None}, openapi_extra=VALUE)
def put_session_value(request: AccessRequest, key: str) -> HttpResponse:
    key, value = read_key(key), read_value(request.body)
    refuse_foreign_sessions([key], request.auth, begins=True)
    commands_session_store.put_value(key, value, access=request.auth, agent=_agent_of(request))
    return answer({"value": value})


@router.delete("/sessions/{rest:key}", auth=CAN_ACT, response={200: None})
def delete_session_value(request: AccessRequest, key: str) -> HttpResponse:
    key = read_key(key)
    refuse_foreign_sessions([key], request.auth)
    commands_session_store.remove_value(key, access=request.auth, agent=_agent_of(request))
    return answer({"deleted": True})


def _agent_of(request: HttpRequest) -> str:
    agent: str = request.META.get(_AGENT_IN_META, "")
    return agent


def session_store(request: HttpRequest, key: str) -> HttpResponse:
    """All of the routes above, by method and by what the path ends with."""
    authorized = cast(AccessRequest, request)
    authorized.auth = CAN_ACT(request)
    match request.method:
        case "GET" | "HEAD":
            return get_session_value(authorized, key)
        case "PUT":
            return put_session_value(authorized, key)
        case "DELETE":
            return delete_session_value(authorized, key)
        case "POST" if key == "batch":
            return get_session_values(authorized)
        case "POST" if key.endswith(INCREMENT):
            return increment_session_value(authorized, key.removesuffix(INCREMENT))
        case _:
            return HttpResponseNotAllowed(["GET", "PUT", "DELETE"])

"""Answer plain requests of the session store in batches on the event loop.

An agent makes ten such requests per governed call and waits for each. Most of that time is spent on
threads, the framework and commits, so plain requests stay on the loop, and those that arrive during
a query share the next one. Django answers everything else, including all refusals: keys not checked
within the last second, sessions that a bound key has not just used, writes other than increments,
and invalid amounts or names.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

import msgspec
from django.db import DataError, IntegrityError

from edictum_site.front.bodies import Body
from edictum_site.front.environ import Scope
from edictum_site.front.replies import AWAY, FAILED, Reply, refusal
from edictum_site.hosts import is_known_host
from edictum_site.session_store.batching import Batcher
from edictum_site.session_store.connections import open_connection
from governance.people import domain as api_keys
from governance.people.auth import AGENT_HEADER, Access, cached_access
from outcomes.models.faults import is_away
from outcomes.record.wire import BodyRefused
from outcomes.session_store.commands.increments import Increment, increment_all
from outcomes.session_store.commands.owners import is_known_owner
from outcomes.session_store.domain import LARGEST_NUMBER, NO_SUCH_KEY
from outcomes.session_store.queries import Lookup, read_values
from outcomes.session_store.wire.session_store import read_amount, read_key, read_keys

log = logging.getLogger(__name__)

PREFIXES = (b"/v1/sessions/", b"/api/v1/sessions/")
INCREMENT, BATCH = b"/increment", "batch"
LARGEST_BODY = 1_000  # bytes
NOSNIFF = (b"x-content-type-options", b"nosniff")
_refused = refusal(404, "not_found", NO_SUCH_KEY)
ABSENT = Reply(_refused.status, [*_refused.headers, NOSNIFF], _refused.content)
_AGENT = AGENT_HEADER.lower().encode()


@dataclass(frozen=True, slots=True)
class Batch:
    lookup: Lookup


@dataclass(frozen=True, slots=True)
class Removal:
    """A delete request. Most are for a failure count that doesn't exist, so nothing is written."""

    lookup: Lookup


Plain = Increment | Lookup | Batch | Removal


class SessionStore:
    """Session store requests that the front answers without a thread."""

    def __init__(self) -> None:
        self._increments = Batcher(open_connection("increments"), increment_all)
        # A separate connection, so that lookups don't wait for commits.
        self._lookups = Batcher(open_connection("lookups"), read_values)

    async def answer(self, scope: Scope, body: Body) -> Reply | None:
        access = _access_of(scope) if _may_be_plain(scope, body) else None
        plain = _read(scope, body, access) if access else None
        if access is None or plain is None:
            return None
        if access.agent and not is_known_owner(_keys_of(plain), access):
            return None
        return await self._answer(plain)

    async def stop(self) -> None:
        await self._increments.close()
        await self._lookups.close()

    async def _answer(self, plain: Plain) -> Reply | None:
        try:
            match plain:
                case Increment():
                    counted = await self._count(plain)
                    return None if counted is None else _ok({"value": counted})
                case Batch(lookup):
                    return _ok({"values": await self._lookups.submit(lookup)})
                case Removal(lookup):
                    return None if await self._lookups.submit(lookup) else ABSENT
                case Lookup():
                    values = await self._lookups.submit(plain)
                    return _ok({"value": values[plain.keys[0]]}) if values else ABSENT
        except Exception as error:
            if is_away(error):
                log.error("The session store's database is unavailable", exc_info=error)
                return refusal(503, "database_unavailable", AWAY, again=1)
            log.exception("The session store failed")
            return refusal(500, "internal_error", FAILED)

    async def _count(self, increment: Increment) -> int | None:
        try:
            return await self._increments.submit(increment)
        except (DataError, IntegrityError):
            # Nothing was counted. Django answers the requests one by one, so only the invalid one
            # fails.
            return None


def _ok(body: dict[str, Any]) -> Reply:
    content = msgspec.json.encode(body)
    length = (b"content-length", b"%d" % len(content))
    return Reply(200, [(b"content-type", b"application/json"), NOSNIFF, length], content)


def _may_be_plain(scope: Scope, body: Body) -> bool:
    if not scope["raw_path"].startswith(PREFIXES):
        return False
    if scope["method"] == "POST":
        return 0 < body.size <= LARGEST_BODY
    return scope["method"] in {"GET", "DELETE"} and not body.size


def _access_of(scope: Scope) -> Access | None:
    """Access of the sender, or None if the cache doesn't show that the request is allowed."""
    headers: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in headers:
            return None
        headers[name] = value
    if not is_known_host(headers.get(b"host", b"").decode("latin-1")):
        return None
    access = cached_access(headers.get(b"authorization", b"").decode("latin-1"))
    if access is None or api_keys.Scope.AGENT not in access.scopes:
        return None
    if not access.admits_address((scope.get("client") or ("",))[0]):
        return None
    return access if access.admits_agent(headers.get(_AGENT, b"").decode("latin-1")) else None


def _read(scope: Scope, body: Body, access: Access) -> Plain | None:
    path: bytes = scope["raw_path"]
    rest = path[path.index(PREFIXES[0]) + len(PREFIXES[0]) :]
    try:
        if scope["method"] == "POST":
            return _posted(rest, b"".join(body.pieces), access)
        key = _key(rest)
    except (BodyRefused, UnicodeDecodeError):
        return None
    if not key:
        return None
    lookup = Lookup(access.environment_id, (key,))
    return lookup if scope["method"] == "GET" else Removal(lookup)


def _keys_of(plain: Plain) -> Sequence[str]:
    match plain:
        case Increment(key):
            return [key]
        case Batch(lookup) | Removal(lookup):
            return lookup.keys
        case Lookup():
            return plain.keys


def _posted(rest: bytes, body: bytes, access: Access) -> Plain | None:
    if not rest.endswith(INCREMENT):
        if _key(rest) != BATCH:
            return None
        return Batch(Lookup(access.environment_id, tuple(read_keys(body))))
    key = _key(rest.removesuffix(INCREMENT))
    amount = read_amount(body)
    if not key or not isinstance(amount, int) or not 0 < amount <= LARGEST_NUMBER:
        return None
    return Increment(key, amount, access)


def _key(escaped: bytes) -> str:
    return read_key(unquote_to_bytes(escaped).decode())

"""The session store for agents, many at once: the requests that must cost next to nothing.

An agent makes ten of them per governed call and waits each time. What takes long is neither the
counting nor the looking: it is to hand a request to a thread and the framework, and the commit.
So whatever arrives while one turn is under way shares the next. What is not plain (a key not seen
within the last second, a session that a bound key did not use a moment ago, a write that counts
nothing up, an amount or a name that would be refused) goes the long way, through Django, and is
answered there.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

import msgspec
from django.db import DataError, IntegrityError

from edictum_site.at_hand.sqlite import SqliteAtHand
from edictum_site.front.bodies import ClientGone, Receive
from edictum_site.front.environ import Scope
from edictum_site.front.replies import AWAY, FAILED, Reply, refusal
from edictum_site.front.sending import Client, Send
from edictum_site.hosts import is_known_host
from edictum_site.own_thread import OwnThread
from edictum_site.together import Connection, Together
from governance.people import domain as api_keys
from governance.people.auth import AGENT_HEADER, Access, kept_access
from outcomes.models.faults import is_away
from outcomes.models.statements import ON_POSTGRESQL
from outcomes.record.wire import BodyRefused
from outcomes.session_store.commands.increments import Increment, counting_up
from outcomes.session_store.commands.owners import is_known_owner
from outcomes.session_store.domain import LARGEST_NUMBER, NO_SUCH_KEY
from outcomes.session_store.queries import Look, looking_up
from outcomes.session_store.wire.session_store import read_amount, read_key, read_keys

log = logging.getLogger(__name__)

PREFIXES = (b"/v1/sessions/", b"/api/v1/sessions/")
INCREMENT, BATCH = b"/increment", "batch"
LARGEST_BODY = 1_000  # bytes
NOSNIFF = (b"x-content-type-options", b"nosniff")
_refused = refusal(404, "not_found", NO_SUCH_KEY)
ABSENT = Reply(_refused.status, [*_refused.headers, NOSNIFF], _refused.content)
_AGENT = AGENT_HEADER.lower().encode()

Application = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Batch:
    look: Look


@dataclass(frozen=True, slots=True)
class Removal:
    """Most are of a count of failures that there were none of: then there is nothing to write."""

    look: Look


Plain = Increment | Look | Batch | Removal


class SessionStore:
    """The ASGI application before the front; what is not for it, it passes on untouched."""

    def __init__(self, front: Application) -> None:
        self._front = front
        counting, looking = OwnThread("counting"), OwnThread("looking")
        self._counting = Together(counting, counting_up, alone=counting_alone(counting))
        # Beside it: who looks must not wait for the commits of those who count.
        self._looking = Together(looking, looking_up, alone=looking_alone(looking))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        access = _access_of(scope) if _may_be_plain(scope) else None
        if access is None:
            await self._front(scope, receive, send)
            if scope["type"] == "lifespan":
                await self._counting.stop()
                await self._looking.stop()
            return
        first = await receive() if scope["method"] == "POST" else None
        plain = _read(scope, first, access)
        if plain and access.agent and not is_known_owner(_keys_of(plain), access):
            plain = None
        reply = await self._answer(plain) if plain else None
        if reply is None:
            await self._front(scope, _again(first, receive), send)
            return
        client = Client(receive, send)
        with suppress(ClientGone):
            await client.start(reply)
            if isinstance(reply.content, bytes):
                await client.finish(reply.content)

    async def _answer(self, plain: Plain) -> Reply | None:
        try:
            match plain:
                case Increment():
                    counted = await self._count(plain)
                    return None if counted is None else _ok({"value": counted})
                case Batch(look):
                    return _ok({"values": await self._looking.ask(look)})
                case Removal(look):
                    return None if await self._looking.ask(look) else ABSENT
                case Look():
                    found = await self._looking.ask(plain)
                    return _ok({"value": found[plain.keys[0]]}) if found else ABSENT
        except Exception as error:
            if is_away(error):
                log.error("The session store's database did not answer", exc_info=error)
                return refusal(503, "database_unavailable", AWAY, again=1)
            log.exception("The session store could not be asked")
            return refusal(500, "internal_error", FAILED)

    async def _count(self, increment: Increment) -> int | None:
        try:
            return await self._counting.ask(increment)
        except (DataError, IntegrityError):
            # Nothing was counted; asked one by one, the one whose fault it is will be told.
            return None


def counting_alone(thread: OwnThread) -> Connection:
    """With SQLite a thread does it: the loop cannot leave a commit that takes long."""
    return _postgres_at_hand(thread) if ON_POSTGRESQL else thread


def looking_alone(thread: OwnThread) -> Connection:
    return _postgres_at_hand(thread) if ON_POSTGRESQL else SqliteAtHand(thread)


def _postgres_at_hand(thread: OwnThread) -> Connection:
    # Its driver is not loaded for SQLite.
    from edictum_site.at_hand.postgres import PostgresAtHand  # noqa: PLC0415

    return PostgresAtHand(thread)


def _ok(body: dict[str, Any]) -> Reply:
    content = msgspec.json.encode(body)
    length = (b"content-length", b"%d" % len(content))
    return Reply(200, [(b"content-type", b"application/json"), NOSNIFF, length], content)


def _may_be_plain(scope: Scope) -> bool:
    if scope["type"] != "http" or not scope["raw_path"].startswith(PREFIXES):
        return False
    return scope["method"] in {"POST", "GET", "DELETE"}


def _access_of(scope: Scope) -> Access | None:
    """What the sender may do, if it is known to be allowed this and the body is short."""
    said: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in said:
            return None
        said[name] = value
    if not is_known_host(said.get(b"host", b"").decode("latin-1")):
        return None
    size = int(said.get(b"content-length", 0))
    if scope["method"] != "POST":
        plain = not size and b"transfer-encoding" not in said
    else:
        plain = 0 < size <= LARGEST_BODY
    access = kept_access(said.get(b"authorization", b"").decode("latin-1")) if plain else None
    if access is None or api_keys.Scope.AGENT not in access.scopes:
        return None
    return access if access.admits_agent(said.get(_AGENT, b"").decode("latin-1")) else None


def _read(scope: Scope, first: dict[str, Any] | None, access: Access) -> Plain | None:
    path: bytes = scope["raw_path"]
    rest = path[path.index(PREFIXES[0]) + len(PREFIXES[0]) :]
    try:
        if scope["method"] == "POST":
            return _posted(rest, first, access)
        key = _key(rest)
    except (BodyRefused, UnicodeDecodeError):
        return None
    if not key:
        return None
    look = Look(access.environment_id, (key,))
    return look if scope["method"] == "GET" else Removal(look)


def _keys_of(plain: Plain) -> Sequence[str]:
    match plain:
        case Increment(key):
            return [key]
        case Batch(look) | Removal(look):
            return look.keys
        case Look():
            return plain.keys


def _posted(rest: bytes, first: dict[str, Any] | None, access: Access) -> Plain | None:
    if first is None or first["type"] != "http.request" or first["more_body"]:
        return None
    if not rest.endswith(INCREMENT):
        if _key(rest) != BATCH:
            return None
        return Batch(Look(access.environment_id, tuple(read_keys(first["body"]))))
    key = _key(rest.removesuffix(INCREMENT))
    amount = read_amount(first["body"])
    if not key or not isinstance(amount, int) or not 0 < amount <= LARGEST_NUMBER:
        return None
    return Increment(key, amount, access)


def _key(escaped: bytes) -> str:
    return read_key(unquote_to_bytes(escaped).decode())


def _again(first: dict[str, Any] | None, receive: Receive) -> Receive:
    """What was read of a body already, then the rest of it."""
    left = [] if first is None else [first]

    async def read() -> dict[str, Any]:
        return left.pop() if left else await receive()

    return read

"""Records outcomes of tool calls with a decorator or a context manager, sync or async."""

from __future__ import annotations

import functools
import inspect
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from edictum_site_client.items import (
    Denied,
    NotReported,
    Raised,
    Returned,
    Stored,
    What,
    error_in,
    what_of,
)
from edictum_site_client.matching import Open, open_call
from edictum_site_client.named_checks import judged_by
from edictum_site_client.outcomes import ToolOutcome

if TYPE_CHECKING:
    from edictum_site_client.console import Console

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Options:
    """Settings that apply to all calls of a tool."""

    name: str
    idempotent: bool | None = None
    retryable: bool = True
    deadline_s: float | None = None
    error_key: str | None = None


@dataclass(frozen=True)
class Where:
    session_id: str | None = None
    turn_id: str | None = None


_NOWHERE = Where()
_WHERE: ContextVar[Where] = ContextVar("edictum_site_client_where", default=_NOWHERE)
_INSIDE: ContextVar[str | None] = ContextVar("edictum_site_client_inside", default=None)


@contextmanager
def session(session_id: str, turn_id: str | None = None) -> Iterator[None]:
    """Context that assigns calls to this session (and turn)."""
    token = _WHERE.set(Where(session_id, turn_id))
    try:
        yield
    finally:
        _WHERE.reset(token)


@contextmanager
def inside(call_id: str) -> Iterator[None]:
    """Context in which calls have this call as their parent."""
    token = _INSIDE.set(call_id)
    try:
        yield
    finally:
        with suppress(ValueError):  # exited in a different context than entered
            _INSIDE.reset(token)


class Call:
    """Running call: `with console.call(…) as call: call.returned(do_it())`."""

    def __init__(
        self,
        console: Console,
        options: Options,
        arguments: Any,
        *,
        call_id: str | None = None,
        session_id: str | None = None,
        turn_id: str | None = None,
    ) -> None:
        where = _WHERE.get()
        self._console = console
        self._options = options
        self._arguments = arguments
        self._session_id = session_id or where.session_id
        self._turn_id = turn_id or where.turn_id
        self._what: What = NotReported()
        self._guarded: Open | None = open_call(options.name) if call_id is None else None
        self.call_id = call_id or (self._guarded.call_id if self._guarded else str(uuid.uuid4()))

    def returned(self, value: Any, *, was_coerced: bool = False) -> Any:
        """Record the result. `was_coerced` means that the arguments were repaired beforehand."""
        error = error_in(value, self._options.error_key)
        self._what = Returned(value, error, was_coerced)
        return value

    def artifact(self, artifact_id: str, summary: str = "", size_bytes: int = 0) -> None:
        """Record an output stored by the agent or uploaded to the console."""
        self._what = Stored(artifact_id, summary, size_bytes)

    def failed(self, error: BaseException | str) -> None:
        """Record a failure of a tool that reports its errors without raising."""
        self._what = Raised(error)

    def denied(self, reason: str, details: str = "") -> None:
        """Record a denied call: `duplicate`, `blocked`, `pre_hook`, `validation`, `deadline` …"""
        self._what = Denied(reason, details)

    def __enter__(self) -> Call:
        self._parent = _INSIDE.get()
        self._token = _INSIDE.set(self.call_id)
        self._began = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        elapsed_ms = (time.monotonic() - self._began) * 1_000
        with suppress(ValueError):  # exited in a different context than entered
            _INSIDE.reset(self._token)
        what = self._what if error is None else Raised(error)
        guarded, options = self._guarded, self._options
        if guarded is not None and isinstance(what, (Returned, Raised, Stored)):
            # The guard's event follows and carries more details of the call than this object.
            guarded.what, guarded.elapsed_ms = what, elapsed_ms
            guarded.deadline_s, guarded.retryable = options.deadline_s, options.retryable
            return
        self._console.keep_outcome(
            what,
            self._about(what),
            elapsed_ms=elapsed_ms,
            deadline_s=options.deadline_s,
            retryable=options.retryable,
        )

    async def __aenter__(self) -> Call:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, traceback)

    def _about(self, what: What) -> dict[str, Any]:
        name = self._options.name
        success = _success(self._console, name, what)
        return _about(self._console, self.call_id, name, success=success) | {
            "tool_args": self._arguments,
            "session_id": self._session_id,
            "turn_id": self._turn_id,
            "idempotent": self._options.idempotent,
            "parent_call_id": self._parent,
        }


@dataclass(frozen=True)
class Circumstances:
    """Details of a call that an executor reports besides its outcome."""

    arguments: Any = None
    session_id: str | None = None
    turn_id: str | None = None
    idempotent: bool | None = None
    tool_success: bool | None = None
    elapsed_ms: float | None = None
    output_cut: bool = False


def record(console: Console, outcome: ToolOutcome, known: Circumstances) -> None:
    what, measures = what_of(outcome)
    where, success = _WHERE.get(), known.tool_success
    if success is None:
        success = _success(console, outcome.tool_name, what)
    about = _about(console, outcome.call_id, outcome.tool_name, success=success) | {
        "tool_args": known.arguments,
        "session_id": known.session_id or where.session_id,
        "turn_id": known.turn_id or where.turn_id,
        "idempotent": known.idempotent,
        "parent_call_id": _INSIDE.get(),
    }
    if known.output_cut:
        about["metadata"] |= {"output_cut": True}
    if known.elapsed_ms is not None:
        measures["elapsed_ms"] = known.elapsed_ms
    console.keep_outcome(what, about, **measures)


def _success(console: Console, tool_name: str, what: What) -> bool | None:
    if not isinstance(what, Returned):
        return None
    return False if what.error is not None else console.judged(tool_name, what.value)


def _about(
    console: Console, call_id: str, tool_name: str, *, success: bool | None
) -> dict[str, Any]:
    return {
        "call_id": call_id,
        "tool_name": tool_name,
        "agent_id": console.agent_id,
        "tool_success": success,
        "metadata": judged_by(console.success_check),
    }


def recorded(console: Console, options: Options, function: Function) -> Function:
    """Wrap a function so that the outcome of each call is recorded."""
    signature = _signature(function)

    def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        return Call(console, options, _arguments(signature, args, kwargs))

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def recorded_async(*args: Any, **kwargs: Any) -> Any:
            with call(args, kwargs) as one:
                return one.returned(await function(*args, **kwargs))

        return cast(Function, recorded_async)

    @functools.wraps(function)
    def recorded_sync(*args: Any, **kwargs: Any) -> Any:
        with call(args, kwargs) as one:
            return one.returned(function(*args, **kwargs))

    return cast(Function, recorded_sync)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C
        return None


def _arguments(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments by name, or by position if they don't match; the function itself rejects those."""
    try:
        if signature is None:
            raise TypeError
        named = dict(signature.bind(*args, **kwargs).arguments)
    except TypeError:
        return {**{str(place): value for place, value in enumerate(args)}, **kwargs}
    named.pop("self", None)
    return named

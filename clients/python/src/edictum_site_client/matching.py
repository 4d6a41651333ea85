"""Matches results with the calls of an edictum guard.

A success check receives the result but not the call; the audit event that follows names the call
but lacks the result. In every SDK version and adapter, both happen in one task, one after the
other, so the result is stored in the task's context until the next execution event there.
Concurrent calls are tasks with separate contexts, and calls made inside a call nest.

If a tool raises under `guard.run()`, the check never runs. For this case an after-hook is added to
the guard, which the SDK calls with the call and the text of the exception.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Any

from edictum_site_client.items import Raised, Returned, Stored

# Modules in which `guard.run()` calls the check; in any other module an adapter calls it.
RUNS = frozenset(("edictum", "edictum._runner"))
MOST_OPEN = 10_000
MOST_IN_A_CONTEXT = 64
FARTHEST_FRAME = 12


@dataclass(slots=True)
class Open:
    """Allowed call, with what is known about its execution so far."""

    call_id: str
    tool_name: str
    what: Returned | Raised | Stored | None = None
    elapsed_ms: float | None = None
    deadline_s: float | None = None
    retryable: bool = True


@dataclass(frozen=True, slots=True)
class Seen:
    """Result passed to a check. Under `run()` it belongs to the most recently opened call."""

    tool_name: str
    value: Any
    at: float
    owner: str | None


@dataclass(frozen=True, slots=True)
class Execution:
    what: Returned | Raised | Stored | None
    elapsed_ms: float | None
    deadline_s: float | None = None
    retryable: bool = True


_CONTEXT: ContextVar[tuple[Open | Seen, ...]] = ContextVar("edictum_site_client_calls", default=())


def open_call(tool_name: str) -> Open | None:
    """Innermost guarded call around the running code, if it is for this tool and has no result."""
    for entry in reversed(_CONTEXT.get()):
        if isinstance(entry, Open):
            return entry if entry.tool_name == tool_name and entry.what is None else None
    return None


def returned_an_error(tool_name: str, result: Any) -> bool:
    """True if an enclosing call's decorated tool reported this same object as an error."""
    return any(
        isinstance(entry, Open)
        and entry.tool_name == tool_name
        and isinstance(entry.what, Returned)
        and entry.what.error is not None
        and entry.what.value is result
        for entry in _CONTEXT.get()
    )


class Matching:
    """Open calls of one console. Threads share its dictionaries and use only atomic operations."""

    def __init__(self) -> None:
        self._started: dict[str, float] = {}
        self._hooked: dict[str, tuple[Any, float]] = {}

    def opened(self, call_id: str, tool_name: str) -> None:
        """Record when a call starts. May be repeated: the last time is closest to the execution."""
        entries = _CONTEXT.get()
        if not any(isinstance(entry, Open) and entry.call_id == call_id for entry in entries):
            _CONTEXT.set((*entries[1 - MOST_IN_A_CONTEXT :], Open(call_id, tool_name)))
        _keep(self._started, call_id, time.monotonic())

    def refused(self, call_id: str) -> None:
        self._started.pop(call_id, None)
        _CONTEXT.set(tuple(entry for entry in _CONTEXT.get() if not _is(entry, call_id)))

    def returned(self, tool_name: str, value: Any, asking: FrameType | None) -> None:
        at, entries, owner = time.monotonic(), _CONTEXT.get(), None
        if asking is not None and asking.f_globals.get("__name__") in RUNS:
            calls = (entry.call_id for entry in reversed(entries) if isinstance(entry, Open))
            owner = next(calls, None)
        seen = Seen(tool_name, value, at, owner)
        _CONTEXT.set((*entries[1 - MOST_IN_A_CONTEXT :], seen))

    def after(self, call: Any, response: Any) -> None:
        """After-hook: called for every execution, needed for those that raised."""
        _keep(self._hooked, str(call.call_id), (response, time.monotonic()))

    def executed(self, call_id: str, tool_name: str, *, success: bool, reason: str) -> Execution:
        """Pop what is known about this execution; `reason` comes from its event."""
        started = self._started.pop(call_id, None)
        hooked = self._hooked.pop(call_id, None)
        call, seen = _take(call_id, tool_name)
        if call is not None and call.what is not None:
            return Execution(call.what, call.elapsed_ms, call.deadline_s, call.retryable)
        if seen is not None and (seen.owner or seen.at >= (started or 0.0)):
            return Execution(Returned(seen.value), _between(started, seen.at))
        response, at = hooked or (None, None)
        elapsed_ms = _between(started, at)
        if not success and (hooked is None or isinstance(response, str)):
            return Execution(Raised(response or reason), elapsed_ms)
        return Execution(None if hooked is None else Returned(response), elapsed_ms)

    def hook_into(self, guard: Any) -> bool:
        """Add the after-hook to a guard; False if it was added before."""
        hooks = guard._after_hooks
        if any(getattr(hook, "callback", None) == self.after for hook in hooks):
            return False
        hooks.append(Hook(self.after))
        return True


@dataclass(frozen=True)
class Hook:
    """Hook with the attributes that edictum reads from registered hooks."""

    callback: Callable[[Any, Any], None]
    phase: str = "after"
    tool: str = "*"
    when: None = None


def _take(call_id: str, tool_name: str) -> tuple[Open | None, Seen | None]:
    entries = list(_CONTEXT.get())
    call = next(
        (entry for entry in entries if isinstance(entry, Open) and _is(entry, call_id)), None
    )
    seen = next(
        (
            entry
            for entry in reversed(entries)
            if isinstance(entry, Seen)
            and entry.tool_name == tool_name
            and entry.owner in (None, call_id)
        ),
        None,
    )
    # Also drop the results of nested calls that were interrupted before their event.
    inside = {entry.call_id for entry in _after(entries, call) if isinstance(entry, Open)}
    _CONTEXT.set(
        tuple(
            entry
            for entry in entries
            if entry is not call
            and entry is not seen
            and not (isinstance(entry, Seen) and entry.owner in inside)
        )
    )
    return call, seen


def _after(entries: list[Open | Seen], call: Open | None) -> list[Open | Seen]:
    return entries[entries.index(call) + 1 :] if call is not None else []


def _is(entry: Open | Seen, call_id: str) -> bool:
    return isinstance(entry, Open) and entry.call_id == call_id


def guard_behind(frame: FrameType | None) -> Any:
    """Guard that emits an event, found on the stack because edictum doesn't pass it to sinks."""
    for _ in range(FARTHEST_FRAME):
        if frame is None:
            return None
        here = frame.f_locals.get("self")
        for one in (here, getattr(here, "_guard", None)):
            if isinstance(getattr(one, "_after_hooks", None), list):
                return one
        frame = frame.f_back
    return None


def _keep(known: dict[str, Any], call_id: str, value: Any) -> None:
    """Store a value and evict the oldest, since allowed calls that never run are never removed."""
    known[call_id] = value
    while len(known) > MOST_OPEN:
        with suppress(RuntimeError):  # another thread is evicting at the same time
            known.pop(next(iter(known)), None)


def _between(started: float | None, at: float | None) -> float | None:
    return None if started is None or at is None else (at - started) * 1_000

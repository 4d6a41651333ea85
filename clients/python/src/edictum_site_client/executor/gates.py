"""Gates that a call must pass before its tool runs, in order, and the resulting arguments."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from edictum_site_client.executor.texts import exception_text, shortened
from edictum_site_client.executor.tools import ToolCall, ToolSpec
from edictum_site_client.executor.turn import State, budget_of
from edictum_site_client.outcomes import DenialReason, ToolDenied
from edictum_site_client.plain_json import TooLarge, json_value

LARGEST_SNAPSHOT = 1_000_000  # characters of arguments

logger = logging.getLogger("edictum_site_client")

# None or True allows the call; False or a reason denies it.
Answer = bool | str | None
PreToolUse = Callable[[ToolCall], Answer | Awaitable[Answer]]
ConfirmWrite = Callable[[ToolCall], Answer | Awaitable[Answer]]
# Returns a problem with the arguments or None. An exception counts as a problem.
Validator = Callable[[Mapping[str, Any], ToolSpec], str | Awaitable[str | None] | None]
# Returns corrected arguments, given invalid ones and the problem.
Repair = Callable[[Any, str, ToolSpec], Any]


@dataclass
class Passage:
    """A call passing through the gates."""

    call: ToolCall
    spec: ToolSpec | None
    arguments: Any
    snapshot: Any  # copy of the original arguments for replay control: a tool may modify its own
    repaired: Any = None  # copy of the arguments that the tool ran with, if they were repaired
    was_coerced: bool = False
    gate: DenialReason = "deadline"

    @classmethod
    def of(cls, call: ToolCall, spec: ToolSpec | None) -> Passage:
        try:
            arguments = _read(call.arguments)
            snapshot = _snapshot(arguments)
        except Exception:  # noqa: BLE001 - an object of others: the call is denied
            arguments = snapshot = f"[{type(call.arguments).__name__}]"
        return cls(call, spec, arguments, snapshot)

    @property
    def reported_arguments(self) -> Any:
        return self.repaired if self.was_coerced else self.snapshot

    def denied(self, details: str) -> ToolDenied:
        return ToolDenied(self.call.call_id, self.call.tool_name, self.gate, shortened(details))


@dataclass(frozen=True)
class Gates:
    on_pre_tool_use: PreToolUse | None
    validator: Validator
    repair: Repair | None
    max_repairs: int
    confirm_write: ConfirmWrite | None

    async def denial(self, passage: Passage, state: State) -> ToolDenied | None:
        """First denial by a gate, or None if the call may run with `passage.arguments`."""
        budget = budget_of(state)
        if budget is None:
            return await self._denial(passage, state)
        if not budget.expired:
            with suppress(asyncio.TimeoutError):  # a hook or a person took too long to decide
                denied = await asyncio.wait_for(self._denial(passage, state), budget.remaining_s)
                if denied is not None or not budget.expired:
                    return denied
        passage.gate = "deadline"
        return passage.denied(f"The turn's {budget.seconds:g} s are over.")

    async def _denial(self, passage: Passage, state: State) -> ToolDenied | None:
        call, spec = passage.call, passage.spec
        passage.gate = "blocked"
        if call.tool_name in state.blocked_tool_names:
            return passage.denied("It failed for good earlier in this turn.")
        passage.gate = "duplicate"
        if spec is not None and spec.idempotent and _succeeded(passage, spec, state):
            return passage.denied("It succeeded with these arguments earlier in this turn.")
        passage.gate = "pre_hook"
        if (why := await _denial(self.on_pre_tool_use, call)) is not None:
            return passage.denied(why)
        passage.gate = "validation"
        if spec is None:
            return passage.denied(f"There is no tool called {call.tool_name!r}.")
        if (problem := await self._validated(passage, spec)) is not None:
            return passage.denied(problem)
        passage.gate = "write_denied"
        if spec.writes and (why := await self._unconfirmed(passage)) is not None:
            return passage.denied(why)
        return None

    async def _validated(self, passage: Passage, spec: ToolSpec) -> str | None:
        problem = await self._problem(passage.arguments, spec)
        for _ in range(self.max_repairs if self.repair is not None else 0):
            if problem is None or self.repair is None:
                break
            try:
                passage.arguments = await _awaited(self.repair(passage.arguments, problem, spec))
            except Exception as error:  # noqa: BLE001 - of others: the call is denied
                return f"{problem} The repair failed: {exception_text(error)}"
            passage.repaired, passage.was_coerced = _snapshot(passage.arguments), True
            problem = await self._problem(passage.arguments, spec)
        return problem

    async def _problem(self, arguments: Any, spec: ToolSpec) -> str | None:
        if not isinstance(arguments, Mapping):
            return "The arguments are not a JSON object."
        try:
            problem = await _awaited(self.validator(arguments, spec))
        except Exception as error:  # noqa: BLE001 - this is how many validators speak
            return exception_text(error)
        return None if problem is None else str(problem)

    async def _unconfirmed(self, passage: Passage) -> str | None:
        if self.confirm_write is None:
            return "The executor has no confirm_write to ask."
        call = replace(passage.call, arguments=passage.arguments)
        return await _denial(self.confirm_write, call)


def _read(arguments: Any) -> Any:
    if arguments is None:
        return {}
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):  # denied later because it isn't an object
            return json.loads(arguments or "{}")
    return arguments


def _snapshot(arguments: Any) -> Any:
    try:
        return json_value(arguments, LARGEST_SNAPSHOT)
    except TooLarge:
        return arguments


def fits_signature(arguments: Mapping[str, Any], spec: ToolSpec) -> str | None:
    """Default validator: whether the arguments match the function's signature."""
    try:
        signature = inspect.signature(spec.function)
    except (TypeError, ValueError):  # some functions written in C
        return None
    try:
        signature.bind(**arguments)
    except TypeError as error:
        return f"{error}."
    return None


def _succeeded(passage: Passage, spec: ToolSpec, state: State) -> bool:
    try:
        return bool(state.replay_control.succeeded(spec.name, passage.snapshot, spec))
    except Exception:
        logger.exception("The replay control raised")
        return False  # an idempotent tool may run again


async def _denial(callback: PreToolUse | None, call: ToolCall) -> str | None:
    """Reason for which the callback denies the call. An error or unclear answer also denies it."""
    if callback is None:
        return None
    try:
        answer = await _awaited(callback(call))
    except Exception as error:  # noqa: BLE001 - of others: in doubt the tool does not run
        return exception_text(error)
    if answer is None or answer is True:
        return None
    if answer is False:
        return ""
    return str(answer) if isinstance(answer, str) else f"Unclear answer: a {type(answer).__name__}."


async def _awaited(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer

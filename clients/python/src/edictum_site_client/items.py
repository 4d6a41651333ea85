"""Items of `POST outcomes`: what became of one call, in the words of the console."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from edictum_site_client.masking import Masking
from edictum_site_client.values import Withheld, encoded, jsonable, text_of

# Until Python 3.11 these were three classes.
TIMEOUTS = (TimeoutError, asyncio.TimeoutError, concurrent.futures.TimeoutError)


@dataclass(frozen=True, slots=True)
class Returned:
    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """By a tool; where the SDK kept only the text of it, that text."""

    error: BaseException | str


@dataclass(frozen=True, slots=True)
class Denied:
    reason: str
    details: str = ""


@dataclass(frozen=True, slots=True)
class NotSaid:
    """It ran, and that is all that is known."""


What = Returned | Raised | Denied | NotSaid


def item(
    what: What,
    about: Mapping[str, Any],
    masking: Masking,
    *,
    elapsed_ms: float | None = None,
    deadline_s: float | None = None,
    retryable: bool = True,
) -> bytes:
    """The item as it is sent. `about` has call_id, tool_name and whatever else is known."""
    told = {key: value for key, value in about.items() if value is not None}
    told.setdefault("timestamp", datetime.now(timezone.utc).isoformat())
    tool = str(told["tool_name"])
    notes: dict[str, Any] = dict(told.pop("metadata", {}))
    _mask(told, "tool_args", tool, masking, notes, leaves=masking.arguments)
    if elapsed_ms is not None and not isinstance(what, Denied):
        told["elapsed_ms"] = round(elapsed_ms, 3)
    match what:
        case Returned(value):
            told |= {"type": "execution_result", "output": value}
            _mask(told, "output", tool, masking, notes, leaves=masking.outputs)
        case NotSaid():
            told["type"] = "execution_result"
        case Raised(error) if isinstance(error, TIMEOUTS):
            told |= {"type": "timeout", "deadline_s": deadline_s, "retryable": retryable}
        case Raised(error):
            told |= {"type": "failure", "error": _error(error, masking), "retryable": retryable}
        case Denied(reason, details):
            told |= {"type": "denied", "reason": reason, "details": text_of(details, masking)}
    if notes:
        told["metadata"] = notes
    return encoded(told)


def _mask(
    told: dict[str, Any],
    name: str,
    tool: str,
    masking: Masking,
    notes: dict[str, Any],
    *,
    leaves: bool,
) -> None:
    if name not in told:
        return
    value = told.pop(name)
    if not leaves:
        return
    try:
        told[name] = jsonable(tool, value, masking)
    except Withheld as why:
        notes[f"{name}_withheld"] = str(why)


def _error(error: BaseException | str, masking: Masking) -> str:
    if isinstance(error, str):
        return text_of(error, masking)
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - an exception of others, whose words raise in their turn
        said = ""
    name = type(error).__name__
    return text_of(f"{name}: {said}" if said else name, masking)

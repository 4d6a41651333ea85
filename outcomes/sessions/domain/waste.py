"""Waste: when a call is wasted, and because of which earlier one; one rule for turns and sessions.

Calls leave marks under the tool and arguments. The reader of a turn keeps which call left a mark,
the counts of a session only that one did.
"""

from collections.abc import Mapping, MutableMapping
from enum import StrEnum
from typing import Final, Literal, TypeVar


class WasteKind(StrEnum):
    REPEATED_AFTER_SUCCESS = "repeated_after_success"
    RETRY_AFTER_NON_RETRYABLE = "retry_after_non_retryable"
    BLOCKED_TOOL_CALLED = "blocked_tool_called"
    DENIED_REPEATED = "denied_repeated"


# Looked up at every call: a member of an enumeration is found more slowly than a letter.
Mark = Literal["s", "f", "b", "d"]
SUCCEEDED: Final = "s"
FAILED_FOR_GOOD: Final = "f"
BLOCKED: Final = "b"  # the tool, whatever it is asked
DENIED: Final = "d"

CallKey = TypeVar("CallKey")  # a tool and its arguments, or a tool, in one turn
Cause = TypeVar("Cause")


def waste_of(
    marks: Mapping[tuple[Mark, CallKey], Cause],
    *,
    tool: CallKey,
    same: CallKey | None,
    idempotent: bool,
    denied: bool,
) -> tuple[WasteKind, Cause] | None:
    """`same` is None where nobody knows the arguments: such a call is like no other."""
    if same is not None:
        if idempotent and (cause := marks.get((SUCCEEDED, same))) is not None:
            return WasteKind.REPEATED_AFTER_SUCCESS, cause
        if (cause := marks.get((FAILED_FOR_GOOD, same))) is not None:
            return WasteKind.RETRY_AFTER_NON_RETRYABLE, cause
    if (cause := marks.get((BLOCKED, tool))) is not None:
        return WasteKind.BLOCKED_TOOL_CALLED, cause
    if denied and same is not None and (cause := marks.get((DENIED, same))) is not None:
        return WasteKind.DENIED_REPEATED, cause
    return None


def leave_denied(
    marks: MutableMapping[tuple[Mark, CallKey], Cause], same: CallKey | None, cause: Cause
) -> None:
    if same is not None:
        marks.setdefault((DENIED, same), cause)


def leave_ran(
    marks: MutableMapping[tuple[Mark, CallKey], Cause],
    cause: Cause,
    *,
    tool: CallKey,
    same: CallKey | None,
    is_error: bool,
    blocks: bool,
) -> None:
    """Only a call of a turn leaves these."""
    if blocks:
        marks.setdefault((BLOCKED, tool), cause)
    if same is None:
        return
    if blocks:
        marks.setdefault((FAILED_FOR_GOOD, same), cause)
    if not is_error:
        marks.setdefault((SUCCEEDED, same), cause)

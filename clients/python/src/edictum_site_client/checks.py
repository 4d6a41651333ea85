"""Verdict on a result: by the given check, or as edictum itself would judge it."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

SuccessCheck = Callable[[str, Any], bool]


def default_check(tool_name: str, result: Any) -> bool:
    """Failure for a dict with a truthy `is_error` and for text that starts as an error does."""
    if isinstance(result, dict):
        return not result.get("is_error")
    return not _says_error(result)


def check_of(given: SuccessCheck | None) -> SuccessCheck | None:
    """The success check for the value given to a console; None means edictum's own."""
    if given is not None and not callable(given):
        raise TypeError(
            "success_check is a callable of (tool_name, result), or None; a name is for"
            " guard_options() or check()."
        )
    return given


def edictums_own(tool_name: str, result: Any, asking: FrameType | None) -> bool:
    """Verdict that the SDK would give without a check; its versions differ in it.

    A guard that is given a check never consults its own, so giving the default would otherwise
    change what agents of older versions, and of some frameworks, take for a failure.
    """
    module = asking.f_globals.get("__name__", "") if asking else ""
    place = asking.f_code.co_name if asking else ""
    match module, place:
        case ("edictum", _) | ("edictum.adapters.agno", "_hook_async"):
            return True  # here only an exception is a failure
        case ("edictum.adapters.google_adk", _):
            failed = isinstance(result, dict) and bool(result.get("error"))
        case ("edictum.adapters.langchain", _):
            failed = _says_error(getattr(result, "content", None))
        case ("edictum.adapters.semantic_kernel", _):
            about = getattr(result, "metadata", None)
            failed = isinstance(about, dict) and bool(about.get("error"))
        case _:
            failed = False
    return not failed and default_check(tool_name, result)


def _says_error(text: Any) -> bool:
    return isinstance(text, str) and text[:7].lower().startswith(("error:", "fatal:"))

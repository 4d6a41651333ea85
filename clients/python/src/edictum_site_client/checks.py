"""Success checks that return a verdict on a result: the given one, or the SDK's built-in rules."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

SuccessCheck = Callable[[str, Any], bool]


def default_check(tool_name: str, result: Any) -> bool:
    """False for a dict with a truthy `is_error`, and for text that starts with an error prefix."""
    if isinstance(result, dict):
        return not result.get("is_error")
    return not _says_error(result)


def check_of(given: SuccessCheck | None) -> SuccessCheck | None:
    """Validate the success check passed to a console; None selects the SDK's own."""
    if given is not None and not callable(given):
        raise TypeError(
            "success_check is a callable of (tool_name, result), or None; a name is for"
            " guard_options() or check()."
        )
    return given


def edictums_own(tool_name: str, result: Any, asking: FrameType | None) -> bool:
    """Verdict that the calling SDK version would reach without a check.

    A guard with a success check skips its own rules. Installing the default here would therefore
    change what counts as a failure in older SDK versions and in some adapters.
    """
    module = asking.f_globals.get("__name__", "") if asking else ""
    place = asking.f_code.co_name if asking else ""
    match module, place:
        case ("edictum", _) | ("edictum.adapters.agno", "_hook_async"):
            return True  # only an exception counts as a failure here
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

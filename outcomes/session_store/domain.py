"""Keys and values of the SDKs' session store: which keys limits depend on, and what an integer is.

An SDK names its keys `s:{session}:attempts`, `:execs`, `:tool:{tool}`, `:consec_fail` and
`:workflow:{name}:state`. Session ids of old versions may contain colons, so a session id ends
before one of these suffixes; the shortest match counts.
"""

import math
import re
from typing import Final

LONGEST_KEY: Final = 25_000  # session and tool of 10,000 characters each, plus the rest of the key
LARGEST_VALUE: Final = 1024 * 1024  # bytes; the state of a workflow has some hundred thousand
NO_SUCH_KEY: Final = "Key not found."
LARGEST_NUMBER: Final = 2**53 - 1  # largest integer that every JSON client reads exactly

_PROTECTED_ENDS: Final = (":attempts", ":execs")
_OF_SESSION: Final = re.compile(
    r"s:(.+?):(attempts|execs|consec_fail|tool:.*|workflow:.*)", re.DOTALL
)
_OF_PLAIN_SESSION: Final = re.compile(r"s:([^:]+):.*", re.DOTALL)
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,15}")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


def is_protected(key: str) -> bool:
    """Whether a contract's limit depends on this key. Agents may only increase it."""
    return key.endswith(_PROTECTED_ENDS) or ":tool:" in key


def session_of(key: str) -> str | None:
    """Session id in a key, or None if its format has none."""
    match = _OF_SESSION.fullmatch(key) or _OF_PLAIN_SESSION.fullmatch(key)
    return match[1] if match else None


def is_counter(key: str) -> bool:
    """Whether a key is a counter of its session, not the state of a workflow."""
    match = _OF_SESSION.fullmatch(key)
    return match is not None and not match[2].startswith("workflow:")


def as_integer(text: str) -> int | None:
    """Integer whose canonical text this is, so that it reads back unchanged."""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if abs(number) <= LARGEST_NUMBER else None


def as_number(text: str) -> int | float | None:
    """Number in a text that can be incremented, as in the SDKs' in-memory store."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return as_counter(number) if math.isfinite(number) else None


def as_counter(number: float) -> int | float:
    """Number with 1.0 turned into 1: a counter's text must be an integer."""
    return int(number) if number == int(number) else number


def text_of(number: float) -> str:
    return str(as_counter(number))

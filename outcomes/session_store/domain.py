"""Keys and values of the SDKs' session store: which count for a limit, and what an integer is.

An SDK names its keys `s:{session}:attempts`, `:execs`, `:tool:{tool}`, `:consec_fail` and
`:workflow:{name}:state`. Sessions of old versions may hold colons themselves, so a session ends
where what follows it is a name of these; the shortest such session counts.
"""

import math
import re
from typing import Final

LONGEST_KEY: Final = 25_000  # a session and a tool of 10,000 characters each, and what joins them
LARGEST_VALUE: Final = 1024 * 1024  # bytes: a workflow's state takes some hundred thousand
NO_SUCH_KEY: Final = "Key not found."
LARGEST_NUMBER: Final = 2**53 - 1  # up to here all clients read a JSON number exactly

_PROTECTED_ENDS: Final = (":attempts", ":execs")
_OF_SESSION: Final = re.compile(
    r"s:(.+?):(attempts|execs|consec_fail|tool:.*|workflow:.*)", re.DOTALL
)
_OF_PLAIN_SESSION: Final = re.compile(r"s:([^:]+):.*", re.DOTALL)
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,15}")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


def is_protected(key: str) -> bool:
    """Whether a limit of a contract hangs on it: an agent may only count it up."""
    return key.endswith(_PROTECTED_ENDS) or ":tool:" in key


def session_of(key: str) -> str | None:
    """The session that a key belongs to, where its form tells one."""
    match = _OF_SESSION.fullmatch(key) or _OF_PLAIN_SESSION.fullmatch(key)
    return match[1] if match else None


def is_counter(key: str) -> bool:
    """Whether a key counts something of its session, rather than keeping a workflow's state."""
    match = _OF_SESSION.fullmatch(key)
    return match is not None and not match[2].startswith("workflow:")


def as_integer(text: str) -> int | None:
    """The integer whose one and only text this is, so that it reads back as it was written."""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if abs(number) <= LARGEST_NUMBER else None


def as_number(text: str) -> int | float | None:
    """The number in a text that can be incremented, as in the SDKs' own store in memory."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return as_counter(number) if math.isfinite(number) else None


def as_counter(number: float) -> int | float:
    """1.0 is the counter 1: its text must be an integer's."""
    return int(number) if number == int(number) else number


def text_of(number: float) -> str:
    return str(as_counter(number))

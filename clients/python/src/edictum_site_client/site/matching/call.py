"""The call to check, and its remaining work budget."""

from typing import Any

WORK = 50_000_000  # one per character read, sixteen per item; about a second in total
ITEM = 16
TEXT = 16_777_216  # characters of a string that are read at most
MOST_READ = 64  # cached conversions between values and texts
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
UNREAD: Any = type("Unread", (), {"__repr__": lambda self: "UNREAD"})()  # any value, or missing


class TooMuch(Exception):
    """A verdict would exceed its work budget."""


class Prefix:
    """Beginning of a text whose rest was not read."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Call:
    # Class attributes hold defaults that most calls never change, so creating a call is cheap.
    item: Any = MISSING
    elapsed_ms: Any = MISSING
    left = WORK
    read: dict[Any, Any] | None = None

    def __init__(self, tool: str, result: Any, elapsed_ms: float | None) -> None:
        self.tool = tool
        self.result = result
        if elapsed_ms is not None:
            self.elapsed_ms = elapsed_ms

    def remembered(self, key: Any) -> Any:
        return MISSING if self.read is None else self.read.get(key, MISSING)

    def remember(self, key: Any, value: Any) -> None:
        if self.read is None:
            self.read = {}
        if len(self.read) < MOST_READ:
            self.read[key] = value

    def spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise TooMuch

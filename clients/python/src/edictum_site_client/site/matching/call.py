"""The call that is checked, and the work that is left for its verdict."""

from typing import Any

WORK = 50_000_000  # a character read is one, what is asked of an item sixteen: about a second
ITEM = 16
TEXT = 16_777_216  # characters of a text that are read at most
MOST_READ = 64  # values that are remembered with their texts, and texts with their values
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
UNREAD: Any = type("Unread", (), {"__repr__": lambda self: "UNREAD"})()  # anything, or missing


class TooMuch(Exception):
    """A verdict would cost more than its budget."""


class Prefix:
    """The beginning of a text whose rest was not read."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Call:
    # Made once for each result: what most of them never change stands here, and costs nothing.
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

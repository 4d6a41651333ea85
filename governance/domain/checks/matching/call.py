"""What is judged, and how much of the work for it is left."""

from typing import Any

WORK = 100_000_000  # a character looked at is one, an item eight: some seconds, at most
ITEM = 8
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


class TooMuch(Exception):
    """What is asked of a result is more than a verdict may cost."""


class Call:
    __slots__ = ("cut", "elapsed_ms", "item", "left", "parsed", "result", "tool")

    def __init__(self, tool: str, result: Any, elapsed_ms: float | None) -> None:
        self.tool, self.result, self.item = tool, result, MISSING
        self.elapsed_ms = MISSING if elapsed_ms is None else elapsed_ms
        self.cut, self.left = False, WORK
        self.parsed: dict[str, Any] | None = None

    def spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise TooMuch

"""What is judged, and how much of the work for it is left."""

from typing import Any

WORK = 50_000_000  # a character looked at is one, what is asked of an item sixteen: about a second
ITEM = 16
MOST_READ = 64  # values that are remembered with their texts, and texts with their values
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


class TooMuch(Exception):
    """What is asked of a result is more than a verdict may cost."""


class Call:
    # Made once for each result: what most of them never change stands here, and costs nothing.
    item: Any = MISSING
    elapsed_ms: Any = MISSING
    cut = False
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

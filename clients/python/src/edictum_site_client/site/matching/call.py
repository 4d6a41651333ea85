"""What is judged, and how much of the work for it is left."""

from typing import Any

WORK = 100_000_000  # a character looked at is one, an item eight: some seconds, at most
ITEM = 8
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


class TooMuch(Exception):
    """What is asked of a result is more than a verdict may cost."""


class Call:
    # Made once for each result: what most of them never change stands here, and costs nothing.
    item: Any = MISSING
    elapsed_ms: Any = MISSING
    cut = False
    left = WORK
    parsed: dict[str, Any] | None = None

    def __init__(self, tool: str, result: Any, elapsed_ms: float | None) -> None:
        self.tool = tool
        self.result = result
        if elapsed_ms is not None:
            self.elapsed_ms = elapsed_ms

    def spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise TooMuch

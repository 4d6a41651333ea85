"""Columns of downloaded tables: principals, and tools of one principal."""

from collections.abc import Callable
from typing import Final

from governance.core.tables import Columns
from outcomes.principals.queries import Sums

_FIGURES: Final[dict[str, Callable[[Sums], object]]] = {
    "calls": lambda row: row.calls,
    "successes": lambda row: row.successes,
    "failures": lambda row: row.failures,
    "denied": lambda row: row.denied,
    "last_at": lambda row: row.last_at,
}
PRINCIPALS: Final[Columns[Sums]] = {"principal": lambda row: row.name, **_FIGURES}
TOOLS: Final[Columns[Sums]] = {"tool_name": lambda row: row.name, **_FIGURES}

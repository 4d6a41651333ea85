"""Tools of a time, each beside what it was in the time before, and the orders they are put in."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from outcomes.domain.figures import Figures


@dataclass(frozen=True, slots=True)
class Compared:
    """What one name adds up to, now and in the time before."""

    name: str
    now: Figures
    before: Figures

    @property
    def change(self) -> float | None:
        """In points of success, between the rates as they are shown."""
        if self.now.rate is None or self.before.rate is None:
            return None
        return round(round(100 * self.now.rate, 1) - round(100 * self.before.rate, 1), 1)


Key = Callable[[Compared], Any]

# By the column: what a row is sorted by, None where it is not known, and whether the least comes
# first until it is turned round.
ORDERS: Final[Mapping[str, tuple[Key, bool]]] = {
    "tool": (lambda row: row.name.casefold(), True),
    "success": (lambda row: row.now.worst_first if row.now.judged else None, True),
    "change": (lambda row: row.change, True),
    "calls": (lambda row: row.now.calls, False),
    "ran_and_failed": (lambda row: row.now.ran_and_failed, False),
    "disagreements": (lambda row: row.now.disagreements, False),
    "denied": (lambda row: row.now.denied, False),
    "p50": (lambda row: row.now.p50_ms, False),
    "p95": (lambda row: row.now.p95_ms, False),
    "p99": (lambda row: row.now.p99_ms, False),
}
WORST_FIRST: Final = "success"


def in_order(rows: Iterable[Compared], column: str, *, turned: bool = False) -> list[Compared]:
    """What is not known stands last, however it is turned; equals stand by their names."""
    key, least_first = ORDERS[column]
    known, unknown = list[Compared](), list[Compared]()
    for row in sorted(rows, key=lambda row: row.name):
        (unknown if key(row) is None else known).append(row)
    known.sort(key=key, reverse=least_first == turned)
    return known + unknown

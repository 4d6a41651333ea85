"""Tools with figures of this and the previous period, and their sort orders."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from outcomes.figures.domain.figures import Figures


@dataclass(frozen=True, slots=True)
class Compared:
    """Figures of one tool or agent, now and in the previous period."""

    name: str
    now: Figures
    before: Figures
    suspected: int = 0  # successes that look like failures

    @property
    def change(self) -> float | None:
        """Change of the success rate in percentage points, between the rounded rates shown."""
        if self.now.rate is None or self.before.rate is None:
            return None
        return round(round(100 * self.now.rate, 1) - round(100 * self.before.rate, 1), 1)


class Order(NamedTuple):
    """Sort key of rows (None if unknown), and whether to sort in ascending order."""

    key: Callable[[Compared], Any]
    least_first: bool


ORDERS: Final[Mapping[str, Order]] = {
    "tool": Order(lambda row: row.name.casefold(), least_first=True),
    "success": Order(
        lambda row: row.now.worst_first(row.suspected) if row.now.judged else None, least_first=True
    ),
    "change": Order(lambda row: row.change, least_first=True),
    "calls": Order(lambda row: row.now.calls, least_first=False),
    "ran_and_failed": Order(lambda row: row.now.ran_and_failed, least_first=False),
    "disagreements": Order(lambda row: row.now.disagreements, least_first=False),
    "denied": Order(lambda row: row.now.denied, least_first=False),
    "p50": Order(lambda row: row.now.p50_ms, least_first=False),
    "p95": Order(lambda row: row.now.p95_ms, least_first=False),
    "p99": Order(lambda row: row.now.p99_ms, least_first=False),
}
WORST_FIRST: Final = "success"


def in_order(rows: Iterable[Compared], order: Order, *, turned: bool = False) -> list[Compared]:
    """Sorted rows. Unknown values come last in either direction; ties are sorted by name."""
    known, unknown = list[Compared](), list[Compared]()
    for row in sorted(rows, key=lambda row: row.name):
        (unknown if order.key(row) is None else known).append(row)
    known.sort(key=order.key, reverse=order.least_first == turned)
    return known + unknown

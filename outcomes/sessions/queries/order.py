"""Orders of the session list. Each has one sort value, so that a page can start after any session;
only those with an index work for very long lists."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import (
    BigIntegerField,
    Case,
    DurationField,
    ExpressionWrapper,
    F,
    FloatField,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Floor, Greatest, Least, Sqrt

from governance.core.wilson import Z_95
from outcomes.models import Session
from outcomes.sessions.queries.page import Asking, by_state

MILLIONTHS: Final = 1_000_000
NEVER_JUDGED: Final = 2 * MILLIONTHS  # sorts after the best possible rate

VALUE: Final = "sorted_by"  # name of the sort value in a row
PLACE: Final = (VALUE, "id")


@dataclass(frozen=True, slots=True)
class Order:
    name: str
    words: str
    turned: str  # text for the reversed order
    by: Any  # column, expression, or function of the time that returns one
    kind: type
    ascending: bool = False
    indexed: bool = False

    @property
    def kinds(self) -> tuple[type, ...]:
        """Types of the values in a cursor."""
        return (self.kind, int)

    def annotated(
        self, rows: QuerySet[Session], now: datetime, asking: Asking
    ) -> QuerySet[Session]:
        by = F(self.by) if isinstance(self.by, str) else self.by
        return rows.annotate(**{VALUE: by(now, asking) if callable(by) else by})


def _upper_bound() -> Any:
    """Upper bound of the success rate in millionths: `wilson`, computed by the database."""
    judged = Cast(F("successes") + F("failures"), FloatField())
    rate = Cast(F("successes"), FloatField()) / judged
    weight = Value(Z_95 * Z_95) / judged
    spread = Value(Z_95) * Sqrt((rate * (Value(1.0) - rate) + weight / Value(4.0)) / judged)
    upper = (rate + weight / Value(2.0) + spread) / (Value(1.0) + weight)
    bound = Least(Value(1.0), Greatest(rate, upper))
    millionths = Cast(Floor(bound * Value(float(MILLIONTHS))), BigIntegerField())
    return Case(
        When(successes=0, failures=0, then=Value(NEVER_JUDGED)),
        default=millionths,
        output_field=BigIntegerField(),
    )


_LASTED: Final = ExpressionWrapper(F("last_at") - F("first_at"), output_field=DurationField())
_MARKS: Final = F("disagreements") + F("waste") + F("artifacts")  # shown as marks
_CONTRACT: Final = Coalesce(F("version__bundle__name"), Value(""))
USUAL: Final = "seen"
ORDERS: Final[dict[str, Order]] = {
    USUAL: Order("Last seen", "newest first", "oldest first", "last_at", datetime, indexed=True),
    "calls": Order(
        "Calls", "most calls first", "fewest calls first", "attempts", int, indexed=True
    ),
    "failures": Order(
        "Failures", "most failures first", "fewest failures first", "failures", int, indexed=True
    ),
    "denied": Order(
        "Denied", "most denied calls first", "fewest denied calls first", "denied", int,
        indexed=True,
    ),
    "rate": Order(
        "Success", "worst first", "worst last", _upper_bound(), int, ascending=True
    ),
    "marks": Order("Marks", "most marks first", "fewest marks first", _MARKS, int),
    "state": Order(
        "State",
        "hit a limit first",
        "ended first",
        by_state,
        int,
    ),
    "waste": Order("Waste", "most wasted calls first", "fewest wasted calls first", "waste", int),
    "lasted": Order("Lasted", "longest first", "shortest first", _LASTED, timedelta),
    "began": Order("Started", "latest first", "earliest first", "first_at", datetime),
    "session": Order(
        "Session", "by session", "by session, backwards", "session_id", str, ascending=True
    ),
    "agent": Order("Agent", "by agent", "by agent, backwards", "agent__name", str, ascending=True),
    "contract": Order(
        "Contract", "by contract", "by contract, backwards", _CONTRACT, str, ascending=True
    ),
}  # fmt: skip

"""Card *What differs*: shares, intervals, and links that add a value to the search."""

from typing import Any, Final, NamedTuple

from django.db.models import Q

from governance.core.figures import MINUS
from governance.people.auth import MemberRequest
from outcomes.search.domain.differences import EXISTS, Difference
from outcomes.search.domain.language import ANYTHING, Query, written
from outcomes.search.queries.differences import Comparison, comparison
from outcomes.search.words import comparison_words, smaller_words
from outcomes.stored.queries import CallFilter
from outcomes.web.paging import with_query
from outcomes.web.scope import zone_of

LAST_TICK: Final = 0.98  # of the axis, so that a tick at its end is visible
LINKED: Final = ("tool", "agent", "principal", "env", "error", "reason")


class Row(NamedTuple):
    difference: Difference
    url: str  # of the calls with this value; empty if not searchable
    points: str
    interval: str
    # Positions on an axis from -100 to 100 points, as fractions of its length.
    low: float
    width: float
    at: float


def differences_context(
    request: MemberRequest, query: Query, filters: CallFilter, such: Q
) -> dict[str, Any]:
    compared = comparison(request.project.pk, query, filters, such, zone=zone_of(request))
    return {
        "compared": compared.result,
        "rows": [_row(request, each, query) for each in compared.result.rows],
        "compared_words": comparison_words(compared),
        "smaller_words": _foot(compared, query),
    }


def _row(request: MemberRequest, difference: Difference, query: Query) -> Row:
    low, high = difference.interval
    return Row(
        difference,
        _url(request, difference, query),
        _points(difference.change),
        f"{_points(low)} to {_points(high)}",
        (low + 1) / 2,
        (high - low) / 2,
        min((difference.change + 1) / 2, LAST_TICK),
    )


def _url(request: MemberRequest, difference: Difference, query: Query) -> str:
    field, value = difference.field, difference.value
    if field.partition(".")[0] not in (*LINKED, "args", "output"):
        return ""
    if value == EXISTS:
        term = f"{field}:{ANYTHING}"
    else:
        term = written(field, value[1:-1] if value.startswith('"') else value)
    text = " ".join(filter(None, (query.text, term)))
    others = {
        name: value
        for name, value in request.GET.dict().items()
        if name not in ("q", "differs", "before", "after")
    }
    return with_query(request.path, **others, q=text)


def _foot(compared: Comparison, query: Query) -> str:
    return smaller_words(compared, is_searched=bool(query))


def _points(change: float) -> str:
    return f"{100 * change:+.0f}".replace("-", MINUS)

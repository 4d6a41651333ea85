"""Figures, read over HTTP."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from ninja import Query

from governance.people.auth import AccessRequest, KeyOrMember
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.stats import figures_by, newest_calls
from outcomes.figures.schemas import StatsQuery
from outcomes.jobs.api import settled
from outcomes.web.api import answer, router


@router.get("/stats", auth=KeyOrMember("read"), response={200: None})
def get_stats(request: AccessRequest, query: Query[StatsQuery]) -> HttpResponse:
    """Figures of calls that fit the filter, most calls first; by hour in order of time."""
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    filters, since = query.filter(), None
    if query.by == "session":
        filters, since = newest_calls(project, filters)
    groups = figures_by(project, query.by, filters, durations=True)
    rows = [_row(key, figures) for key, figures in groups.items()]
    rows.sort(key=lambda row: row["key"] if query.by == "hour" else (-row["calls"], row["key"]))
    counted_since = None if since is None else since.isoformat().replace("+00:00", "Z")
    return answer(
        {"by": query.by, "rows": rows, "settled": is_settled, "counted_since": counted_since}
    )


def _row(key: str | datetime, figures: Figures) -> dict[str, Any]:
    lower, upper = figures.bounds or (None, None)
    return {
        "key": key if isinstance(key, str) else f"{key:%Y-%m-%dT%H:%M:%SZ}",
        "calls": figures.calls,
        "successes": figures.successes,
        "failures": figures.failures,
        "unknown": figures.unknown,
        "denied": figures.denied,
        "rate": figures.rate,
        "lower": lower,
        "upper": upper,
        "p50_ms": _rounded(figures.p50_ms),
        "p95_ms": _rounded(figures.p95_ms),
        "p99_ms": _rounded(figures.p99_ms),
    }


def _rounded(milliseconds: float | None) -> float | None:
    """Duration rounded to the precision of a bucket 2 % wide."""
    return None if milliseconds is None else float(f"{milliseconds:.3g}")

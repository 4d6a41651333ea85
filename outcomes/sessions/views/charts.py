"""Charts of the session page: its calls as a strip, and the counts of a limit by call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from django.http import QueryDict
from django.utils.safestring import SafeString

from governance.contracts.domain.limit_use import LimitJudgement, LimitUse
from governance.core.figures import counted
from governance.core.numbers import parse_number
from governance.people.auth import MemberRequest
from outcomes import charts
from outcomes.charts import By
from outcomes.models import Session
from outcomes.record.brief_call import BriefCall
from outcomes.sessions.domain.limit_lines import hit_at, lines_of
from outcomes.sessions.domain.overview import Overview
from outcomes.sessions.views.cause import key_of, sorted_uses, was_reached
from outcomes.sessions.words.sentences import first_stop
from outcomes.web.addresses import call_url
from outcomes.web.scope import detail_query, zone_of

FEWEST: Final = 20  # calls at the closest zoom
AROUND: Final = 30  # calls on each side of a stop
CARRIED: Final = ("show", "loop", "before", "after")  # parameters of the calls table


class ZoomLink(NamedTuple):
    name: str
    words: str
    query: dict[str, str]
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Zoom:
    """Range of call numbers, inclusive; 0 means the session's first or last call."""

    by: By = "call"
    first: int = 0
    last: int = 0
    limit: str = ""  # whose counts are drawn as lines

    def within(self, first: int, last: int) -> "Zoom":
        """Part of the range that exists, at least FEWEST calls long."""
        begin = min(max(self.first, first), max(last - FEWEST + 1, first))
        end = min(max(self.last or last, begin + FEWEST - 1), last)
        return replace(self, first=begin, last=end)

    def query(self) -> dict[str, str]:
        """Parameters that differ from the defaults."""
        parameters = {
            "by": "time" if self.by == "time" else "",
            "first": str(self.first or ""),
            "last": str(self.last or ""),
            "limit": self.limit,
        }
        return {name: value for name, value in parameters.items() if value}


def zoom_of(query: QueryDict) -> Zoom:
    return Zoom(
        by="time" if query.get("by") == "time" else "call",
        first=parse_number(query.get("first")) or 0,
        last=parse_number(query.get("last")) or 0,
        limit=query.get("limit", ""),
    )


def carried_query(query: QueryDict) -> dict[str, str]:
    return {name: given for name in CARRIED if (given := query.get(name, ""))}


def zoom_links(zoom: Zoom, shown: Zoom, first: int, last: int, stop: int | None) -> list[ZoomLink]:
    """Zoom links for the range shown; `zoom` is the range as chosen."""
    is_all = shown.first == first and shown.last == last
    calls = shown.last - shown.first + 1
    to: Callable[..., dict[str, str]] = lambda **changed: replace(zoom, **changed).query()  # noqa: E731 - one use each
    links = [ZoomLink("all", "All", to(first=0, last=0), is_current=is_all)]
    if stop is not None and last - first + 1 > 2 * AROUND:
        begin, end = max(stop - AROUND, first), min(stop + AROUND, last)
        is_there = (shown.first, shown.last) == (begin, end)
        links.append(ZoomLink("stop", "Around the stop", to(first=begin, last=end), is_there))
    if calls > FEWEST:
        quarter = calls // 4
        links.append(
            ZoomLink("in", "Closer", to(first=shown.first + quarter, last=shown.last - quarter))
        )
    if not is_all:
        links.append(_further(to, shown, first, last))
        half = max(calls // 2, 1)
        if shown.first > first:
            step = min(half, shown.first - first)
            moved = to(first=shown.first - step, last=shown.last - step)
            links.append(ZoomLink("earlier", "Earlier", moved))
        if shown.last < last:
            step = min(half, last - shown.last)
            moved = to(first=shown.first + step, last=shown.last + step)
            links.append(ZoomLink("later", "Later", moved))
    return links


def _further(to: Callable[..., dict[str, str]], shown: Zoom, first: int, last: int) -> ZoomLink:
    half = (shown.last - shown.first + 1) // 2
    begin, end = max(shown.first - half, first), min(shown.last + half, last)
    is_all = begin == first and end == last
    return ZoomLink("out", "Further", to(first=0 if is_all else begin, last=0 if is_all else end))


LINES: Final = (
    ("executions", "executions", charts.Style.EXECUTIONS),
    ("classified", "verified successes", charts.Style.CLASSIFIED),
    ("reported", "reported successes", charts.Style.REPORTED),
    ("attempts", "attempts", charts.Style.EXECUTIONS),
)
ALONG: Final[tuple[tuple[charts.By, str], ...]] = (("call", "By call"), ("time", "By time"))


@dataclass(frozen=True, slots=True)
class Strip:
    chart: SafeString
    shown: Zoom
    links: list[dict[str, Any]]
    by: list[dict[str, Any]]
    words: str


def strip_of(
    request: MemberRequest, session: Session, calls: Sequence[BriefCall], overview: Overview,
    limits: list[LimitUse], zoom: Zoom, name: str = "Calls in order",
) -> Strip | None:  # fmt: skip
    """Strip of the session's calls, or None if they were removed."""
    if not calls:
        return None
    first, last = overview.first, overview.first + len(calls) - 1
    shown = zoom.within(first, last)
    here = calls[shown.first - first : shown.last - first + 1]
    stop = _stop(limits)
    slug, environment = request.project.slug, session.environment.name
    query = detail_query(request)
    chart = charts.strip(
        here,
        says=_says(overview, session),
        link=lambda call: call_url(slug, call.call_id, environment, **query),
        first=shown.first,
        first_turn=_first_turn(calls[: shown.first - first], here),
        by=zoom.by,
        zone=zone_of(request),
        stop=stop,
        name=name,
    )
    links = zoom_links(zoom, shown, first, last, stop.number if stop else None)
    is_all = len(here) == len(calls)
    return Strip(
        chart,
        shown,
        [link._asdict() for link in links],
        [
            {"words": words, "query": Zoom(by, zoom.first, zoom.last, zoom.limit).query(),
             "is_current": zoom.by == by, "name": f"by-{by}"}
            for by, words in ALONG
        ],
        "" if is_all else f"calls {shown.first:,} to {shown.last:,} of {session.attempts:,}",
    )  # fmt: skip


def lines_chart(
    calls: Sequence[BriefCall], overview: Overview, limits: list[LimitUse], zoom: Zoom
) -> dict[str, Any] | None:
    """Chart of the chosen limit, else of the most important one that was reached."""
    uses = sorted_uses(limits)
    matching = (use for use in uses if key_of(use) == zoom.limit)
    use = next(matching, None) or _telling([use for use in uses if was_reached(use)])
    if use is None or not calls:
        return None
    counts = lines_of(calls, use)
    if use.judgement == LimitJudgement.PREMATURE and use.stopped_at is not None:
        # Denied calls aren't counted, and would hide how far the session could have gone.
        counts = _until(counts, use.stopped_at - overview.first)
    elif (reached := [at for at in use.reached_at.values() if at]) and None not in (
        use.reached_at.values()
    ):
        # With calls far beyond the limit, the points where the counts reach it would overlap.
        counts = _until(counts, max(reached) * 3 // 2 + 1 - overview.first)
    rows = [
        charts.Counting(name=words, style=style, counts=counts[counting])
        for counting, words, style in LINES
        if counting in counts
    ]
    by_class = next((row for row in rows if row.style == charts.Style.CLASSIFIED), None)
    chart = charts.countings(
        rows,
        limit=use.limit.value,
        projected=by_class if use.judgement == LimitJudgement.PREMATURE else None,
        name=f"{use.limit.tool or use.limit.kind} by call",
        says=_limit_says(use),
        first=overview.first,
    )
    return {"chart": chart, "name": use.limit.tool or use.limit.kind, "limit": use.limit.value}


def _until(counts: dict[str, list[int]], calls: int) -> dict[str, list[int]]:
    return {name: row[: max(calls, 1)] for name, row in counts.items()}


def _telling(uses: list[LimitUse]) -> LimitUse | None:
    """The limit that was hit, else one with several counts."""
    if uses and uses[0].stopped_at is not None:
        return uses[0]
    return next((use for use in uses if "executions" in use.used), next(iter(uses), None))


def _stop(limits: list[LimitUse]) -> charts.Stop | None:
    use = first_stop(limits)
    if use is None or use.stopped_at is None:
        return None
    number = hit_at(use) or use.stopped_at
    words = f"limit hit at call {number:,}"
    return charts.Stop(number=min(number, use.stopped_at - 1), words=words)


def _says(overview: Overview, session: Session) -> str:
    parts = [f"{session.executions:,} ran"]
    if session.failures:
        parts.append(f"{session.failures:,} failed")
    if overview.missed:
        parts.append(f"{overview.missed:,} silently")
    if session.denied:
        parts.append(f"{session.denied:,} denied")
    return f"{counted(session.attempts, 'call')}: {', '.join(parts)}."


def _limit_says(use: LimitUse) -> str:
    parts = []
    for counting, words, _ in LINES:
        if counting in use.used:
            reached = use.reached_at[counting]
            at = f" reached it at call {reached:,}" if reached is not None else ""
            parts.append(f"{use.used[counting]:,} {words}{at}")
    return f"Limit {use.limit.value:,}: {', '.join(parts)}."


def _first_turn(before: Sequence[BriefCall], here: Sequence[BriefCall]) -> int:
    """Number of the turn that the first call shown belongs to."""
    seen = list(dict.fromkeys(call.turn_id for call in before if call.turn_id))
    turn = here[0].turn_id
    return seen.index(turn) + 1 if turn in seen else len(seen) + 1

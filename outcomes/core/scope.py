"""Scope of a page: a period in whole minutes, an environment, an agent and the reader's time zone.
The URL contains all of it except the zone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from outcomes.core.moments import Span, Step, after_the_minute, spans, time_from, time_text

LIVE, ALL = "live", "all"
ALL_TIME: Final = "All time"
USUAL: Final = "24h"
LONGEST: Final = timedelta(days=90)
# Earliest call time accepted. Agents' clocks may be at most a day ahead.
BEGINNING: Final = datetime(2000, 1, 1, tzinfo=UTC)
_ENVIRONMENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_AHEAD: Final = timedelta(days=2)

# By name in URLs: length and label.
RANGES: Final[Mapping[str, tuple[timedelta, str]]] = {
    LIVE: (timedelta(minutes=15), "Live, 15 minutes"),
    "15m": (timedelta(minutes=15), "Last 15 minutes"),
    "1h": (timedelta(hours=1), "Last hour"),
    "6h": (timedelta(hours=6), "Last 6 hours"),
    "24h": (timedelta(hours=24), "Last 24 hours"),
    "7d": (timedelta(days=7), "Last 7 days"),
    "30d": (timedelta(days=30), "Last 30 days"),
    "90d": (timedelta(days=90), "Last 90 days"),
}
_UP_TO: Final = (
    (timedelta(hours=2), Step.MINUTE),
    (timedelta(hours=12), Step.QUARTER),
    (timedelta(days=4), Step.HOUR),
)
# Query parameters of a scope.
TIMES: Final = ("range", "from", "to")
NAMES: Final = (*TIMES, "environment", "agent")
# In the URL of a session or call, `environment` identifies it. The scope that the reader came from
# uses these names instead.
CHOSEN: Final = {"environment": "chosen-environment", "agent": "chosen-agent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Scope of a page. `until` is exclusive. `range` is empty for custom times; `goes_on` then
    marks a period with no end."""

    since: datetime
    until: datetime
    zone: tzinfo = UTC
    range: str = ""
    goes_on: bool = False
    environment: str = ""
    agent: str = ""
    amiss: str = ""  # error message about invalid parameters

    @property
    def is_live(self) -> bool:
        return self.range == LIVE

    @property
    def is_all(self) -> bool:
        return self.range == ALL

    @property
    def bounds(self) -> tuple[datetime | None, datetime | None]:
        """Bounds for a list. None means unbounded."""
        return (
            None if self.is_all or self.since == BEGINNING else self.since,
            None if self.is_all else self.until,
        )

    @property
    def length(self) -> timedelta:
        return self.until - self.since

    @property
    def previous(self) -> "Scope":
        """Period of the same length just before this one."""
        return replace(
            self, since=self.since - self.length, until=self.since, range="", goes_on=False
        )

    @property
    def step(self) -> Step:
        """Chart step, chosen so that a chart has some dozens of columns."""
        return next((step for most, step in _UP_TO if self.length <= most), Step.DAY)

    def steps(self) -> list[Span]:
        """Chart steps in the reader's time zone. The first and last are cut off at the scope's
        bounds, so that they count nothing outside it."""
        return spans(self.since, self.until, self.step, self.zone)

    @property
    def words(self) -> str:
        if self.is_all:
            return ALL_TIME
        if self.range:
            return RANGES[self.range][1]
        if self.goes_on:
            return f"Since {self._time_words(self.since)}"
        if self.since == BEGINNING:
            return f"Until {self._time_words(self.until)}"
        return f"{self._time_words(self.since)} \N{EN DASH} {self._time_words(self.until)}"

    @property
    def in_words(self) -> str:
        """Scope's period as part of a sentence: "in the last 24 hours"."""
        if self.is_all:
            return "up to now"
        if self.is_live:
            return "in the last 15 minutes"
        if self.range:
            return f"in the {self.words[0].lower()}{self.words[1:]}"
        if self.goes_on or self.since == BEGINNING:
            return f"{self.words[0].lower()}{self.words[1:]}"
        return f"from {self.words}"

    @property
    def before_words(self) -> str:
        """Name of the previous period."""
        if self.range:
            words = RANGES[LIVE if self.is_live else self.range][1]
            return f"the previous {words.removeprefix('Last ').removeprefix('Live, ')}"
        return "the previous period"

    def query(self) -> dict[str, str]:
        """Query parameters of the scope, complete so that a shared link shows the same data."""
        time = {"range": self.range}
        if not self.range:
            since = "" if self.since == BEGINNING else time_text(self.since)
            time = {"from": since, "to": "" if self.goes_on else time_text(self.until)}
        chosen = time | {"environment": self.environment, "agent": self.agent}
        return {name: value for name, value in chosen.items() if value}

    def _time_words(self, moment: datetime) -> str:
        local = moment.astimezone(self.zone)
        year = "" if local.year == self.until.astimezone(self.zone).year else f" {local.year}"
        return f"{local.day} {local:%b}{year} {local:%H:%M}"


def handed_on(scope: Scope | None, query: Mapping[str, str]) -> dict[str, str]:
    """Scope parameters for links from this page. A page about one session or call has no scope and
    passes on its own parameters."""
    if scope is not None:
        return scope.query()
    there = {name: name for name in TIMES} | CHOSEN
    return {name: value for name in NAMES if (value := query.get(there[name], ""))}


def detail_parameters(scope: Scope | None, query: Mapping[str, str]) -> dict[str, str]:
    """Scope parameters for the URL of a session or call. Includes only those in the current URL, so
    that most URLs stay short."""
    carried = handed_on(scope, query)
    times = {name: value for name in TIMES if (value := query.get(name, ""))}
    return times | {there: carried[name] for name, there in CHOSEN.items() if name in carried}


def scope_from(
    query: Mapping[str, str],
    *,
    now: datetime,
    zone: tzinfo,
    is_list: bool = False,
    usual: str = USUAL,
) -> Scope:
    """Scope of a query. Invalid times are ignored and reported in `amiss`, so that hand-written
    URLs work. `usual` is the default range. Only a list may go back to the first call."""
    environment, agent = query.get("environment", ""), query.get("agent", "")
    chosen = Scope(
        since=BEGINNING,
        until=after_the_minute(now) + _AHEAD,
        zone=zone,
        range=ALL,
        environment=environment if _ENVIRONMENT.fullmatch(environment) else "",
        agent="" if "\0" in agent else agent,  # PostgreSQL rejects NUL
    )
    until_now = after_the_minute(now)
    since, until = time_from(query.get("from", "")), time_from(query.get("to", ""))
    amiss = _invalid(query)
    if since is not None or until is not None:
        goes_on, until = until is None, until or until_now
        until = min(max(until, BEGINNING), until_now + _AHEAD)
        if since is None:
            since = BEGINNING if is_list else until - RANGES[USUAL][0]
        earliest = BEGINNING if is_list else max(BEGINNING, until - LONGEST)
        if since < earliest and not is_list:
            amiss = f"Showing the last {LONGEST.days} days of that range (maximum)."
        since = max(since, earliest)
        if since < until:
            times = replace(chosen, range="", since=since, until=until, goes_on=goes_on)
            return replace(times, amiss=amiss)
        amiss = "The end must be after the start."
    offered = {*RANGES, ALL} if is_list else set(RANGES)
    name = next((each for each in (query.get("range", ""), usual) if each in offered), USUAL)
    if name == ALL:
        return replace(chosen, amiss=_instead(amiss, chosen))
    scope = replace(chosen, range=name, since=until_now - RANGES[name][0], until=until_now)
    return replace(scope, amiss=_instead(amiss, scope))


def _invalid(query: Mapping[str, str]) -> str:
    """Error messages for invalid dates and ranges."""
    dates = [text for name in ("from", "to") if (text := query.get(name, ""))]
    wrong = [f"{_quoted(text)} isn't a valid date." for text in dates if not time_from(text)]
    name = query.get("range", "")
    if name and name not in RANGES and name != ALL:
        wrong.append(f"{_quoted(name)} isn't a valid range.")
    return " ".join(wrong)


def _quoted(text: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{text[:60]}\N{RIGHT DOUBLE QUOTATION MARK}"


def _instead(amiss: str, shown: Scope) -> str:
    return f"{amiss} Showing: {shown.words}." if amiss else ""

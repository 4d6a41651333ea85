"""Differences that settled calls make to the totals of metrics."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

CALLS, VERDICTS, DENIALS, DISAGREEMENTS = "calls", "verdicts", "denials", "disagreements"
NAMED: Final = 50  # tools of a project with series of their own
OTHER: Final = 0  # tool of all others
DENIED: Final = "denied"
LIMIT: Final = "limit"
REASONS: Final = ("contract", "approval", LIMIT, "pre_hook", "workflow")
GIVEN: Final = ("success", "failure", "unknown")
OTHER_NAME: Final = "other"  # of the tools without a name of their own
OTHER_REASON: Final = "other"  # agents may send any text as a reason


class Counted(NamedTuple):
    """Calls of one tool that became the same."""

    tool: int
    kind: str  # empty: open, which is counted once it has an outcome
    verdict: str
    reason: str
    calls: int
    disagreements: int


class Series(NamedTuple):
    of: str
    tool: int
    label: str


class Place(NamedTuple):
    """A series by names."""

    environment: str
    of: str
    tool: str
    label: str


def gains(counted: Iterable[Counted], named: Collection[int]) -> dict[Series, int]:
    """Difference of each series; tools without a name are counted together."""
    sums: defaultdict[Series, int] = defaultdict(int)
    for each in counted:
        tool = each.tool if each.tool in named else OTHER
        for series, number in _series(each, tool):
            sums[series] += number
    return {series: number for series, number in sums.items() if number}


def _series(counted: Counted, tool: int) -> Iterable[tuple[Series, int]]:
    if counted.kind:
        yield Series(CALLS, tool, counted.kind), counted.calls
    if counted.verdict:
        yield Series(VERDICTS, tool, counted.verdict), counted.calls
    if counted.kind == DENIED:
        reason = counted.reason if counted.reason in REASONS else OTHER_REASON
        yield Series(DENIALS, OTHER, reason), counted.calls
    if counted.disagreements:
        yield Series(DISAGREEMENTS, tool, ""), counted.disagreements


def zeros(environments: Iterable[str], counted: Iterable[Place]) -> set[Place]:
    """Series that are shown before anything was counted in them: Prometheus sees no increase in the
    first value of a series, and no rate of successes where there is no success."""
    places = {(place.environment, place.tool) for place in counted if place.of == VERDICTS}
    denials = {
        Place(environment, DENIALS, OTHER_NAME, reason)
        for environment in environments
        for reason in (*REASONS, OTHER_REASON)
    }
    verdicts = {Place(at, VERDICTS, tool, each) for at, tool in places for each in GIVEN}
    return denials | verdicts | {Place(at, DISAGREEMENTS, tool, "") for at, tool in places}


def most_called(calls: Mapping[int, int], at_most: int) -> list[int]:
    """Tools with the most calls, first."""
    return sorted(calls, key=lambda tool: (-calls[tool], tool))[:at_most]

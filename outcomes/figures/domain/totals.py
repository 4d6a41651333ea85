"""Changes that settled calls make to metric totals."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

CALLS, VERDICTS, DENIALS, DISAGREEMENTS = "calls", "verdicts", "denials", "disagreements"
NAMED: Final = 50  # tools per project with their own series
OTHER: Final = 0  # stands for all tools without their own series
DENIED: Final = "denied"
LIMIT: Final = "limit"
REASONS: Final = ("contract", "approval", LIMIT, "pre_hook", "workflow")
GIVEN: Final = ("success", "failure", "unknown")
OTHER_NAME: Final = "other"  # label of the tools without their own series
OTHER_REASON: Final = "other"  # agents may send any text as a reason


class Counted(NamedTuple):
    """Number of one tool's calls with the same outcome, verdict and reason."""

    tool: int
    kind: str  # empty: an open call, counted once it has an outcome
    verdict: str
    reason: str
    calls: int
    disagreements: int


class Series(NamedTuple):
    of: str
    tool: int
    label: str


class Place(NamedTuple):
    """A series, identified by names."""

    environment: str
    of: str
    tool: str
    label: str


def gains(counted: Iterable[Counted], named: Collection[int]) -> dict[Series, int]:
    """Change of each series. Tools without their own series are counted together."""
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
    """Series to expose at zero before anything is counted: Prometheus sees no increase in a
    series' first value, and can't compute a success rate from a missing series."""
    places = {(place.environment, place.tool) for place in counted if place.of == VERDICTS}
    denials = {
        Place(environment, DENIALS, OTHER_NAME, reason)
        for environment in environments
        for reason in (*REASONS, OTHER_REASON)
    }
    verdicts = {Place(at, VERDICTS, tool, each) for at, tool in places for each in GIVEN}
    return denials | verdicts | {Place(at, DISAGREEMENTS, tool, "") for at, tool in places}


def most_called(calls: Mapping[int, int], at_most: int) -> list[int]:
    """Tools with the most calls, in descending order."""
    return sorted(calls, key=lambda tool: (-calls[tool], tool))[:at_most]

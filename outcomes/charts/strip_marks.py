"""Marks of a strip: one per call, or one per group of neighbors if there is no room. A group is
drawn as its worst call."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from governance.core.figures import duration
from outcomes.charts.axes import DASH
from outcomes.charts.frame import groups_of
from outcomes.charts.series import Style
from outcomes.record.brief_call import BriefCall
from outcomes.record.outcome import (
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)

STYLES: Final[Mapping[str, Style]] = {
    ToolExecutionResult.kind: Style.EXECUTED,
    ToolArtifactReference.kind: Style.ARTIFACT,
    ToolTimeout.kind: Style.TIMEOUT,
    ToolFailure.kind: Style.FAILURE,
    ToolDenied.kind: Style.DENIED,
    "": Style.OPEN,
}
# Worst first.
_WORST: Final = {
    Style.UNSEEN_FAILURE: 0,
    Style.FAILURE: 1,
    Style.TIMEOUT: 2,
    Style.DENIED: 3,
    Style.ARTIFACT: 4,
    Style.OPEN: 5,
    Style.EXECUTED: 6,
}
_VERDICTS: Final = ("failure", "unknown", "success")
_FEWEST: Final = 40  # sessions with fewer calls get marks as wide as if they had this many
_SLOWEST: Final = 1_000  # milliseconds that fill the height if no call took longer

By = Literal["call", "time"]


@dataclass(frozen=True, slots=True)
class Numbered:
    number: int
    call: BriefCall
    style: Style

    @property
    def missed(self) -> bool:
        return self.call.verdict == "failure" and self.call.reported == "success"

    @property
    def words(self) -> str:
        call = self.call
        what = [STYLES[call.kind].value if call.kind else "no result yet"]
        if call.reason:
            what.append(call.reason)
        if call.verdict:
            what.append(f"verdict {call.verdict}")
        if self.missed:
            what.append("agent said success")
        if call.elapsed_ms is not None:
            what.append(duration(call.elapsed_ms))
        return f"Call {self.number:,} · {call.tool}: {', '.join(what)}"


@dataclass(frozen=True, slots=True)
class Mark:
    x: float  # like width, a share of the plot's width
    width: float
    calls: Sequence[Numbered]
    worst: Numbered
    ran: Numbered | None  # worst call that was not denied
    denied: bool
    verdict: str

    @property
    def words(self) -> str:
        if len(self.calls) == 1:
            return self.worst.words
        numbers = f"{self.calls[0].number:,}{DASH}{self.calls[-1].number:,}"
        return f"Calls {numbers}, worst: {self.worst.words}"


def numbered(calls: Sequence[BriefCall], first: int) -> list[Numbered]:
    return [Numbered(first + place, call, _style(call)) for place, call in enumerate(calls)]


def _style(call: BriefCall) -> Style:
    """Style of a call. A call that returned a result with the verdict failure is hatched, as the
    tool itself reported no error."""
    style = STYLES[call.kind]
    hatched = call.verdict == "failure" and style in (Style.EXECUTED, Style.ARTIFACT)
    return Style.UNSEEN_FAILURE if hatched else style


def _mark(x: float, width: float, calls: Sequence[Numbered]) -> Mark:
    ran = [each for each in calls if each.style != Style.DENIED]
    verdicts = {each.call.verdict for each in ran}
    return Mark(
        x,
        width,
        calls,
        worst=min(calls, key=_badness),
        ran=min(ran, key=_badness, default=None),
        denied=len(ran) < len(calls),
        verdict=next((verdict for verdict in _VERDICTS if verdict in verdicts), ""),
    )


def _badness(each: Numbered) -> int:
    """Sort rank of a call; the worst one has the lowest."""
    return _WORST[each.style]


def marks_of(calls: Sequence[Numbered], by: By, at_most: int) -> list[Mark]:
    if by == "time":
        return _by_time(calls, at_most)
    step = 1 / max(len(calls), _FEWEST)
    return [
        _mark(group[0] * step, len(group) * step, calls[group[0] : group[-1] + 1])
        for group in groups_of(len(calls), at_most)
    ]


def _by_time(calls: Sequence[Numbered], at_most: int) -> list[Mark]:
    """Marks placed by time. Calls in the same slot of the time axis share one."""
    if not calls:
        return []
    in_time = sorted(calls, key=lambda each: each.call.at)
    begin, end = in_time[0].call.at, in_time[-1].call.at
    span = (end - begin).total_seconds() or 1.0

    def cell(each: Numbered) -> int:
        share = (each.call.at - begin).total_seconds() / span
        return min(int(share * at_most), at_most - 1)

    return [
        _mark(place / at_most, 1 / at_most, list(group)) for place, group in groupby(in_time, cell)
    ]


def height_of(call: BriefCall, slowest: float, least: float, most: float) -> float:
    """Height by duration on a log scale; `least` for a call without a duration."""
    if not call.elapsed_ms or call.elapsed_ms < 0:
        return least
    share = math.log1p(call.elapsed_ms) / math.log1p(max(slowest, _SLOWEST))
    return least + (most - least) * min(share, 1.0)


def slowest_of(calls: Sequence[Numbered]) -> float:
    return max((each.call.elapsed_ms or 0.0 for each in calls), default=0.0)

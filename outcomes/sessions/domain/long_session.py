"""Calls of a long session in memory, so that a changed verdict takes only a few steps.

Counts are adjusted by the difference. Figures that depend on call order (the call that reaches a
limit, the failures at the end) are kept in trees.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime

from governance.core.session_limits import MaxAttempts, SessionLimit
from governance.core.verdict import Verdict
from outcomes.core.moments import micros_of, moment_of
from outcomes.figures.domain.count_tree import CountTree
from outcomes.record.session_step import Step
from outcomes.sessions.domain.session import Limits, SessionTally

Place = tuple[datetime, int, int]  # in its session: time, call index, order of acceptance


class LongSession:
    __slots__ = ("_by_tool", "_counted", "_failures", "_places", "_successes", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._places = array("q"), array("q"), array("q")
        self._successes, self._failures = CountTree(), CountTree()
        self._counted = [_Counted(limit) for limit in limits]
        self._by_tool: dict[str | None, list[_Counted]] = {}
        for counted in self._counted:
            if not isinstance(counted.limit, MaxAttempts):
                self._by_tool.setdefault(counted.limit.tool, []).append(counted)

    def __len__(self) -> int:
        return len(self._places[0])

    @property
    def last(self) -> Place | None:
        if not len(self):
            return None
        at, index, order = (column[-1] for column in self._places)
        return moment_of(at), index, order

    def append(self, place: Place, step: Step) -> None:
        """Append the session's next call."""
        for column, value in zip(self._places, _numbers(place), strict=True):
            column.append(value)
        self._successes.append(step.verdict == Verdict.SUCCESS)
        self._failures.append(step.verdict == Verdict.FAILURE)
        for counted in self._counting(step):
            counted.append(len(self), step)

    def cut(self, place: Place) -> None:
        """Drop the call at this place and all calls after it."""
        length = self._before(place)
        for column in self._places:
            del column[length:]
        self._successes.cut(length)
        self._failures.cut(length)
        for counted in self._counted:
            counted.cut(length)

    def reclassify(self, place: Place, step: Step) -> None:
        """Replace the step at this place."""
        number = self._before(place) + 1
        self._successes.put(number, step.verdict == Verdict.SUCCESS)
        self._failures.put(number, step.verdict == Verdict.FAILURE)
        for counted in self._counting(step):
            counted.put(number, step)

    def correct(self, tally: SessionTally, changed: Iterable[tuple[Step, Step]]) -> None:
        """Correct a tally for changed verdicts, given as pairs of old and new steps."""
        for before, after in changed:
            tally.swap(before, after)
        tally.put_in_order(
            self._failures_at_the_end(), [counted.read() for counted in self._counted]
        )

    def _failures_at_the_end(self) -> int:
        last = self._successes.place_of(self._successes.total) or 0
        return self._failures.total - self._failures.up_to(last)

    def _before(self, place: Place) -> int:
        at, index, order = self._places
        return bisect_left(
            range(len(at)), _numbers(place), key=lambda n: (at[n], index[n], order[n])
        )

    def _counting(self, step: Step) -> Iterator["_Counted"]:
        if step.verdict is None:
            return  # it did not run
        for tool in (None, step.tool):
            for counted in self._by_tool.get(tool, ()):
                if step.from_sdk or not counted.limit.assumed:
                    yield counted


class _Counted:
    """The calls that one limit counts, by their numbers in the session."""

    __slots__ = ("_checked", "_numbers", "_successes", "limit")

    def __init__(self, limit: SessionLimit) -> None:
        self.limit = limit
        self._numbers = array("q")
        self._successes, self._checked = CountTree(), CountTree()

    def append(self, number: int, step: Step) -> None:
        self._numbers.append(number)
        self._successes.append(step.verdict == Verdict.SUCCESS)
        self._checked.append(step.checked)

    def cut(self, length: int) -> None:
        length_left = bisect_left(self._numbers, length + 1)
        del self._numbers[length_left:]
        self._successes.cut(length_left)
        self._checked.cut(length_left)

    def put(self, number: int, step: Step) -> None:
        place = bisect_left(self._numbers, number) + 1
        self._successes.put(place, step.verdict == Verdict.SUCCESS)
        self._checked.put(place, step.checked)

    def read(self) -> tuple[int | None, bool]:
        """Number of the call that reaches the limit, and whether a check classified any counted
        call."""
        place = self._successes.place_of(self.limit.value)
        return None if place is None else self._numbers[place - 1], self._checked.total > 0


def _numbers(place: Place) -> tuple[int, int, int]:
    at, index, order = place
    return micros_of(at), index, order

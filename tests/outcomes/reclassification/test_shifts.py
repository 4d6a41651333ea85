"""Calls at which sessions hit an execution limit under different verdicts."""

import pytest

from governance.core.session_limits import (
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
)
from governance.core.verdict import Verdict
from outcomes.reclassification.domain.shifts import Readings, Shift, Shifts, shift_of
from outcomes.record.session_step import Step

SUCCESS, FAILURE = Verdict.SUCCESS, Verdict.FAILURE


@pytest.mark.parametrize(
    ("before", "after", "shift"),
    [
        (None, None, None),
        (3, 3, None),
        (None, 3, Shift.NEWLY),
        (3, None, Shift.NO_MORE),
        (5, 3, Shift.EARLIER),
        (3, 5, Shift.LATER),
    ],
)
def test_a_shift_is_classified_by_the_call_at_which_the_limit_is_hit(before, after, shift):
    assert shift_of(before, after) == shift


def readings(limits, *calls: tuple[str, Verdict, Verdict]) -> Readings:
    read = Readings(limits)
    for tool, before, after in calls:
        step = Step(kind="execution_result", tool=tool, verdict=before, checked=True)
        read.advance(step, after, checked=True)
    return read


def shifts_of(read: Readings) -> dict[str, tuple[int | None, int | None]]:
    return {limit.kind: (before, after) for limit, before, after in read.shifts()}


def test_successes_reclassified_as_failures_delay_a_limit():
    calls = [("t", SUCCESS, FAILURE), *[("t", SUCCESS, SUCCESS)] * 3]
    read = readings((MaxExecutions(3),), *calls)
    assert list(shifts_of(read).values()) == [(3, 4)]


def test_failures_reclassified_as_successes_hit_the_limit_of_their_tool_earlier():
    limits = (MaxExecutions(9), MaxExecutionsOfTool("t", 2))
    read = readings(
        limits, ("u", SUCCESS, SUCCESS), ("t", FAILURE, SUCCESS), ("t", SUCCESS, SUCCESS)
    )
    assert list(shifts_of(read).values()) == [(None, None), (None, 3)]


def test_a_limit_on_attempts_does_not_depend_on_verdicts():
    read = readings((MaxAttempts(2), MaxExecutions(1)), ("t", SUCCESS, FAILURE))
    assert [limit.kind for limit, _, _ in read.shifts()] == [MaxExecutions(1).kind]


def test_sessions_are_counted_by_limit_and_parts_add_up():
    complete, parts = Shifts(), [Shifts(), Shifts()]
    for number in range(6):
        after = FAILURE if number % 2 else SUCCESS
        for shifts in (complete, parts[number // 3]):
            read = readings((MaxExecutions(1),), ("t", SUCCESS, after))
            shifts.end_session("production", f"s-{number}", read)
    merged = Shifts.from_json(parts[0].as_json())
    merged.merge(parts[1].as_json())
    assert merged.as_json() == complete.as_json()
    assert complete.sessions == 3
    (row,) = complete.by_limit
    assert row["no_more"] == 3
    assert row["samples"]["no_more"][0] == {
        "environment": "production", "session": "s-1", "before": 1, "after": None,
    }  # fmt: skip

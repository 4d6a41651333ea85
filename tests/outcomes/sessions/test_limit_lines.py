"""Lines of a limit chart over the call number."""

from governance.contracts.domain.limit_use import LimitUse
from governance.core.session_limits import (
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
)
from outcomes.sessions.domain.limit_lines import counted_before_stop, lines_of, results_of
from outcomes.sessions.domain.overview import Results
from tests.outcomes.sessions.briefs import a_brief


def a_use(limit, stopped_at=None, **used: int) -> LimitUse:
    reached: dict[str, int | None] = dict.fromkeys(used)
    return LimitUse(limit=limit, used=used, reached_at=reached, stopped_at=stopped_at,
                    judgement=None, checked=True)  # fmt: skip


CALLS = [
    a_brief(reported="success"),
    a_brief("denied"),
    a_brief(reported="success", verdict="failure"),
    a_brief(reported="failure", tool="other"),
    a_brief(""),
]


def test_each_count_has_a_value_after_every_call():
    use = a_use(MaxExecutions(9), executions=3, reported=2, classified=2)
    assert lines_of(CALLS, use) == {
        "executions": [1, 1, 2, 3, 3],
        "reported": [1, 1, 2, 2, 2],
        "classified": [1, 1, 1, 2, 2],
    }


def test_attempts_count_every_call_and_a_tool_limit_only_its_own():
    assert lines_of(CALLS, a_use(MaxAttempts(9), attempts=5)) == {"attempts": [1, 2, 3, 4, 5]}
    other_tool = a_use(MaxExecutionsOfTool("other", 9), executions=1, reported=0, classified=1)
    assert lines_of(CALLS, other_tool)["executions"] == [0, 0, 0, 1, 1]


def test_an_sdk_limit_counts_only_sdk_calls():
    use = a_use(MaxExecutions(200, assumed=True), executions=1, reported=1, classified=1)
    assert lines_of([CALLS[0], CALLS[0]._replace(from_sdk=True)], use)["executions"] == [0, 1]


def test_lines_of_the_newest_calls_start_from_the_counts_before_them():
    use = a_use(MaxExecutions(99), executions=53, reported=52, classified=42)
    assert lines_of(CALLS, use)["classified"] == [41, 41, 41, 42, 42]


def test_calls_before_and_after_the_limit_are_distinguished():
    use = a_use(MaxExecutions(2), stopped_at=4, executions=3, reported=2, classified=2)
    counted = counted_before_stop(CALLS, use, first=1)
    assert results_of(counted or []) == Results(2, 1, 1, 0)
    assert counted_before_stop(CALLS, use, first=7) is None

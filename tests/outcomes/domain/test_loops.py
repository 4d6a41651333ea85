"""When the same denied call of a session is a loop."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

from outcomes.domain.loops import STILL, Denied, goes_on, longest_loop

START = datetime(2026, 11, 18, 9, tzinfo=UTC)


def at(seconds):
    return START + timedelta(seconds=seconds)


def denied(*seconds, tool="shell", arguments=b"rm"):
    return [Denied(tool, arguments, at(each)) for each in seconds]


def test_three_times_are_a_loop_and_two_are_not():
    assert longest_loop(denied(0, 5)) is None
    found = longest_loop(denied(0, 5, 9))
    assert found is not None
    assert (found.times, found.first_at, found.last_at) == (3, at(0), at(9))


def test_other_arguments_or_another_tool_are_another_call():
    mixed = denied(0, 1) + denied(2, 3, arguments=b"ls") + denied(4, 5, tool="write")
    assert longest_loop(mixed) is None


def test_calls_without_arguments_are_never_the_same():
    assert longest_loop(denied(0, 1, 2, 3, arguments=None)) is None


def test_the_longest_is_told_in_whichever_order_the_calls_come():
    three, four = denied(7, 8, 9), denied(0, 1, 2, 3, arguments=b"ls")
    for order in list(permutations(three + four))[::500]:
        found = longest_loop(order)
        assert found is not None
        assert (found.arguments, found.times, found.last_at) == (b"ls", 4, at(3))


def test_of_two_as_long_the_later_one_is_told():
    found = longest_loop(denied(0, 1, 2) + denied(3, 4, 5, arguments=b"ls"))
    assert found is not None
    assert found.arguments == b"ls"


def test_a_loop_goes_on_until_it_has_been_quiet_for_a_while():
    assert goes_on(at(0), at(0) + STILL / 2)
    assert not goes_on(at(0), at(0) + STILL)

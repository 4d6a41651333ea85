"""Attempts of one logical call."""

from outcomes.domain.attempts import SameCall, attempts_with

CALLS = [
    SameCall(1, "a", "failure", "", "failure", 5.0),
    SameCall(2, "b", "execution_result", "", "failure", 5.0),
    SameCall(3, "c", "execution_result", "", "success", 5.0),
    SameCall(4, "d", "execution_result", "", "success", 5.0),
    SameCall(5, "e", "timeout", "", "failure", 5.0),
    SameCall(6, "f", "denied", "blocked", "", None),
    SameCall(7, "g", "", "", "", None),
]


def attempts_of(one: int) -> list[int]:
    return [call.id for call in attempts_with(CALLS, one)]


def test_what_failed_and_was_tried_again_are_attempts_of_one_call_until_it_worked():
    assert attempts_of(1) == attempts_of(2) == attempts_of(3) == [1, 2, 3]


def test_a_call_that_worked_at_once_has_no_attempts():
    assert attempts_of(4) == []


def test_attempts_may_end_without_having_worked():
    assert attempts_of(6) == [5, 6, 7]


def test_a_call_that_is_not_among_them_has_none():
    assert attempts_of(9) == []

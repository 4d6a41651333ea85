"""Attempts of one logical call."""

from outcomes.record.attempts import SameTool, attempts_of_one

CALLS = [
    SameTool(1, "a", "failure", "", "failure", 5.0),
    SameTool(2, "b", "execution_result", "", "failure", 5.0),
    SameTool(3, "c", "execution_result", "", "success", 5.0),
    SameTool(4, "d", "execution_result", "", "success", 5.0),
    SameTool(5, "e", "timeout", "", "failure", 5.0),
    SameTool(6, "f", "denied", "blocked", "", None),
    SameTool(7, "g", "", "", "", None),
]


def attempts_of(one: int) -> list[int]:
    return [call.id for call in attempts_of_one(CALLS, one)]


def test_failed_retries_are_attempts_of_one_call_until_one_succeeds():
    assert attempts_of(1) == attempts_of(2) == attempts_of(3) == [1, 2, 3]


def test_a_call_that_succeeded_at_once_has_no_attempts():
    assert attempts_of(4) == []


def test_attempts_can_end_without_a_success():
    assert attempts_of(6) == [5, 6, 7]


def test_an_unlisted_call_has_no_attempts():
    assert attempts_of(9) == []


def in_turn(number: int, turn: str, parent: str | None = None, verdict: str = "failure"):
    return SameTool(number, f"c-{number}", "execution_result", "", verdict, 5.0, turn, parent)


ACROSS = [
    in_turn(1, "t-1"),
    in_turn(2, "t-1", verdict="success"),
    in_turn(3, "t-2", verdict="failure"),
    in_turn(4, "t-3", "c-3"),
    in_turn(5, "t-4", "c-4", "success"),
    in_turn(6, "t-4", verdict="success"),
    in_turn(7, "t-5", "c-of-another-tool", "success"),
]


def across(one: int) -> list[int]:
    return [call.id for call in attempts_of_one(ACROSS, one)]


def test_calls_linked_by_parent_call_id_are_attempts_across_turns():
    assert across(3) == across(4) == across(5) == [3, 4, 5]


def test_unlinked_calls_of_different_turns_are_not_attempts_of_one_call():
    assert across(1) == across(2) == [1, 2]
    assert across(6) == across(7) == across(9) == []


CHANGED = [
    SameTool(1, "a", "failure", "", "failure", 5.0, "t", None, b"1"),
    SameTool(2, "b", "failure", "", "failure", 5.0, "t", None, b"1"),
    SameTool(3, "c", "failure", "", "failure", 5.0, "t", "b", b"2"),
    SameTool(4, "d", "failure", "", "failure", 5.0, "t", None, b"3"),
    SameTool(5, "e", "execution_result", "", "success", 5.0, "t", "c", None),
    SameTool(6, "f", "failure", "", "failure", 5.0, "t", None, None),
]


def test_linked_calls_are_attempts_whatever_their_arguments():
    for one in (1, 2, 3, 5):
        assert [call.id for call in attempts_of_one(CHANGED, one)] == [1, 2, 3, 5]


def test_unlinked_calls_with_different_or_unknown_arguments_are_distinct():
    assert attempts_of_one(CHANGED, 4) == attempts_of_one(CHANGED, 6) == []

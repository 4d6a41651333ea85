"""Comparison of two sessions and where they diverge."""

from outcomes.sessions.domain.comparison import Parting, by_tool, parted_at
from tests.outcomes.sessions.briefs import a_brief


def a_call(what: bytes, kind: str = "execution_result", **fields):
    return a_brief(kind, arguments=what, **fields)


def test_identical_sessions_do_not_diverge():
    assert parted_at([a_call(b"1"), a_call(b"2")], [a_call(b"1"), a_call(b"2")]) is None
    assert parted_at([], []) is None


def test_sessions_diverge_at_a_different_request():
    parted = parted_at([a_call(b"1"), a_call(b"2")], [a_call(b"1"), a_call(b"3")])
    assert parted is not None
    assert (parted.number, parted.how) == (2, Parting.REQUESTED)


def test_sessions_diverge_at_a_different_outcome_of_the_same_call():
    parted = parted_at([a_call(b"1")], [a_call(b"1", verdict="failure")])
    assert parted is not None
    assert (parted.number, parted.how) == (1, Parting.OUTCOME)


def test_sessions_diverge_where_one_of_them_ends():
    parted = parted_at([a_call(b"1")], [a_call(b"1"), a_call(b"2")])
    assert parted is not None
    assert (parted.number, parted.how, parted.one) == (2, Parting.ENDED, None)


def test_tools_are_sorted_by_how_much_their_calls_differ():
    one = [a_brief(tool="a"), a_brief(tool="b"), a_brief(tool="b", verdict="failure")]
    other = [a_brief(tool="a"), a_brief("denied", tool="c"), a_brief("", tool="c")]
    rows = by_tool(one, other)
    assert [name for name, _, _ in rows] == ["b", "c", "a"]
    (_, left, right) = rows[0]
    assert (left.calls, left.results.failures, right.calls) == (2, 1, 0)
    assert (rows[1][2].denied, rows[1][2].calls) == (1, 2)  # one of these calls is open

"""Two sessions side by side: where they part."""

from outcomes.sessions.domain.comparison import Parting, by_tool, parted_at
from tests.outcomes.sessions.briefs import a_brief


def asked(what: bytes, kind: str = "execution_result", **fields):
    return a_brief(kind, arguments=what, **fields)


def test_sessions_that_did_the_same_part_nowhere():
    assert parted_at([asked(b"1"), asked(b"2")], [asked(b"1"), asked(b"2")]) is None
    assert parted_at([], []) is None


def test_they_part_where_something_else_was_asked():
    found = parted_at([asked(b"1"), asked(b"2")], [asked(b"1"), asked(b"3")])
    assert found is not None
    assert (found.number, found.how) == (2, Parting.ASKED)


def test_they_part_where_something_else_came_of_the_same():
    found = parted_at([asked(b"1")], [asked(b"1", verdict="failure")])
    assert found is not None
    assert (found.number, found.how) == (1, Parting.BECAME)


def test_they_part_where_one_of_them_ends():
    found = parted_at([asked(b"1")], [asked(b"1"), asked(b"2")])
    assert found is not None
    assert (found.number, found.how, found.one) == (2, Parting.ENDED, None)


def test_the_tool_that_they_call_most_unlike_often_comes_first():
    one = [a_brief(tool="a"), a_brief(tool="b"), a_brief(tool="b", verdict="failure")]
    other = [a_brief(tool="a"), a_brief("denied", tool="c"), a_brief("", tool="c")]
    rows = by_tool(one, other)
    assert [name for name, _, _ in rows] == ["b", "c", "a"]
    (_, left, right) = rows[0]
    assert (left.calls, left.results.failures, right.calls) == (2, 1, 0)
    assert (rows[1][2].denied, rows[1][2].calls) == (1, 2)  # one of them is open

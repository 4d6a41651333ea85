"""Side-by-side diffs."""

from hypothesis import given
from hypothesis import strategies as st

from governance.texts.text_diff import Row, parts_around, side_by_side


def kinds(before: str, after: str) -> list[str]:
    return [row.kind for row in side_by_side(before, after)]


def test_equal_texts_have_no_differing_rows():
    assert kinds("a\nb\n", "a\nb\n") == ["same", "same"]
    assert parts_around(side_by_side("a\nb\n", "a\nb\n")) == []


def test_a_changed_line_is_paired_with_the_old_line():
    assert side_by_side("a\nb\nc\n", "a\nx\nc\n")[1] == Row("changed", 2, "b", 2, "x")


def test_an_added_line_has_no_row_on_the_other_side():
    assert side_by_side("a\nc\n", "a\nb\nc\n")[1] == Row("added", None, "", 2, "b")
    assert side_by_side("a\nb\nc\n", "a\nc\n")[1] == Row("removed", 2, "b", None, "")


def test_line_endings_are_ignored():
    assert kinds("a\r\nb\r\n", "a\nb\n") == ["same", "same"]


def test_distant_equal_lines_are_skipped_and_counted():
    before = "".join(f"{number}\n" for number in range(20))
    (first, second) = parts_around(
        side_by_side(before, before.replace("5\n", "x\n", 1).replace("16\n", "y\n")), 1
    )
    assert (first.skipped, [row.after for row in first.rows]) == (4, ["4", "x", "6"])
    assert (second.skipped, [row.after for row in second.rows]) == (8, ["15", "y", "17"])


def test_very_long_texts_without_a_common_line_are_completely_replaced():
    rows = side_by_side("a\nb\n" * 40_000, "c\nd\n" * 40_000)
    assert {row.kind for row in rows} == {"changed"}


LINES = st.lists(st.sampled_from("abcdef"), max_size=30).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


@given(LINES, LINES)
def test_both_texts_can_be_rebuilt_from_the_rows(before, after):
    rows = side_by_side(before, after)
    assert "".join(f"{row.before}\n" for row in rows if row.before_line) == before
    assert "".join(f"{row.after}\n" for row in rows if row.after_line) == after
    assert [row.before_line for row in rows if row.before_line] == [*range(1, len(before) // 2 + 1)]
    assert [row.after_line for row in rows if row.after_line] == [*range(1, len(after) // 2 + 1)]
    assert all(row.before == row.after for row in rows if row.kind == "same")

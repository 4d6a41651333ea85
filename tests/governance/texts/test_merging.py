"""Three-way merges: no line of either text is lost."""

import re

from hypothesis import given
from hypothesis import strategies as st

from governance.texts.merging import conflicts_in, merge

BASE = "one\ntwo\nthree\nfour\nfive\n"


def merged(mine: str, theirs: str, base: str = BASE):
    return merge(base, mine, theirs, mine_is="yours", theirs_is="v2")


def test_changes_on_different_lines_are_merged():
    result = merged(BASE.replace("two", "2"), BASE.replace("four", "4"))
    assert (result.text, result.conflicts) == ("one\n2\nthree\n4\nfive\n", 0)


def test_a_change_on_one_side_is_merged():
    theirs = "zero\none\nthree\nfour\nfive\nsix\n"
    assert merged(BASE, theirs).text == theirs
    assert merged(theirs, BASE).text == theirs


def test_the_same_change_on_both_sides_is_merged_once():
    both = BASE.replace("three", "3")
    assert merged(both, both) == merged(BASE, both)
    assert merged(both, both).conflicts == 0


def test_a_line_changed_on_both_sides_is_a_conflict():
    result = merged(BASE.replace("three", "3"), BASE.replace("three", "III"))
    assert result.conflicts == 1
    assert result.text == "one\ntwo\n<<<<<<< yours\n3\n=======\nIII\n>>>>>>> v2\nfour\nfive\n"


def test_only_differing_lines_are_marked_as_conflicts():
    result = merged(BASE.replace("three", "3\nsame"), BASE.replace("three", "III\nsame"))
    assert "=======\nIII\n>>>>>>> v2\nsame\nfour" in result.text


def test_a_removal_conflicts_with_a_change():
    result = merged(BASE.replace("three\n", ""), BASE.replace("three", "3"))
    assert result.conflicts == 1
    assert "<<<<<<< yours\n=======\n3\n>>>>>>> v2\n" in result.text


def test_conflict_markers_are_on_separate_lines_without_a_final_newline():
    result = merged("one\ntwo", "one\nthree", base="one\n")
    assert result.text == "one\n<<<<<<< yours\ntwo\n=======\nthree\n>>>>>>> v2\n"


def test_texts_without_a_common_line_become_one_conflict():
    result = merged("a\nb\n", "c\n", base="")
    assert (result.conflicts, result.text.count("=======")) == (1, 1)


def test_very_long_texts_are_merged_by_their_common_prefix_and_suffix():
    middle = "".join(f"line {number}\n" for number in range(10_000))
    result = merged(
        f"mine\n{middle}end\n", f"start\n{middle}theirs\n", base=f"start\n{middle}end\n"
    )
    assert "mine\n" in result.text
    assert "theirs\n" in result.text


def test_each_conflict_marker_is_a_problem_on_its_line():
    result = merged(BASE.replace("three", "3"), BASE.replace("three", "III"))
    assert [problem.line for problem in conflicts_in(result.text)] == [3]
    assert conflicts_in(BASE) == []


LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=8)


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@given(LINES, LINES)
def test_an_unchanged_side_adopts_all_changes_of_the_other(base, changed):
    assert merged(text(base), text(changed), text(base)).text == text(changed)
    assert merged(text(changed), text(base), text(base)).text == text(changed)


@given(LINES, LINES, LINES)
def test_no_added_line_is_lost(base, mine, theirs):
    result = merged(text(mine), text(theirs), text(base)).text.split("\n")
    for line in {*mine, *theirs} - set(base):
        assert line in result


@given(LINES, LINES, LINES)
def test_merging_is_symmetric(base, mine, theirs):
    one = merged(text(mine), text(theirs), text(base))
    other = merge(text(base), text(theirs), text(mine), mine_is="yours", theirs_is="v2")
    assert one.conflicts == other.conflicts
    if not one.conflicts:
        assert one.text == other.text


def test_a_merge_without_changes_has_no_conflict_markers():
    assert not re.search("<<<<<<<", merged(BASE, BASE).text)

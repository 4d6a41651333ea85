"""Bindings: the first matching row decides which check applies to a call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.checks.domain import (
    Binding,
    all_fitting,
    changed_lines,
    first_fitting,
    hidden_by,
    lines_judging,
    with_line,
)
from governance.checks.words import applying_words

LINES = [
    Binding("production", "*", "http_*", "http"),
    Binding("*", "billing-*", "*", "billing"),
    Binding("*", "*", "query_?", "rows"),
]


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (("production", "anybody", "http_get"), 0),
        (("production", "billing-bot", "http_get"), 0),
        (("staging", "billing-bot", "http_get"), 1),
        (("staging", "another", "http_get"), None),
        (("staging", "another", "query_a"), 2),
        (("staging", "another", "query_ab"), None),
        (("Production", "anybody", "http_get"), None),
    ],
)
def test_the_first_binding_whose_three_globs_match_applies(call, place):
    assert first_fitting(LINES, *call) == place


def test_without_bindings_no_binding_applies():
    assert first_fitting([], "production", "bot", "search") is None


@pytest.mark.parametrize(
    ("wide", "narrow", "is_hidden"),
    [
        ("*", "http_*", True),
        ("http_*", "http_get", True),
        ("http_*", "http_*_x", True),
        ("http_*", "http_?", True),
        ("http_get", "http_get", True),
        ("http_?", "http_?", True),
        ("http_?", "http_*", False),
        ("http_get", "http_*", False),
        ("*_get", "http_*", False),
        ("a*", "?*", False),
    ],
)
def test_a_binding_is_hidden_if_an_earlier_one_matches_all_of_its_calls(wide, narrow, is_hidden):
    lines = [Binding("*", "*", wide, "one"), Binding("production", "bot", narrow, "two")]
    assert hidden_by(lines, 1) == (0 if is_hidden else None)


def test_a_binding_is_not_hidden_by_one_for_fewer_agents():
    lines = [Binding("*", "bot", "*", "one"), Binding("*", "*", "http_get", "two")]
    assert hidden_by(lines, 1) is None


def test_a_new_binding_is_inserted_where_it_applies_and_only_once():
    narrow, all_ = Binding("production", "crm-*", "*", "ours"), Binding("*", "*", "*", "http")
    new = Binding("*", "*", "crm_update", "crm-update")
    assert with_line([narrow, all_], new) == [narrow, new, all_]
    assert with_line([narrow], new) == [narrow, new]
    assert with_line([new, all_], new) == [new, all_]


def test_the_bindings_of_a_tool_are_the_ones_that_can_apply_to_its_calls():
    both = ["production", "staging"]
    assert lines_judging(LINES, "http_get", both) == [0, 1, None]
    assert lines_judging(LINES, "http_get", ["production"]) == [0]
    assert lines_judging(LINES, "query_a", both) == [1, 2]
    assert lines_judging(LINES, "query_ab", both) == [1, None]
    assert lines_judging(LINES, "query_a", both, "billing-bot") == [1]
    assert lines_judging(LINES, "query_a", both, "another") == [2]
    assert lines_judging([], "query_a", both) == [None]


@given(
    lines=st.lists(
        st.builds(
            Binding,
            *[st.sampled_from(["*", "a", "b", "a*", "?"])] * 3,
            check=st.just("c"),
        ),
        max_size=6,
    ),
    call=st.tuples(*[st.sampled_from(["a", "b", "ab"])] * 3),
    names_agent=st.booleans(),
)
def test_the_applying_binding_is_among_the_bindings_of_its_tool(lines, call, names_agent):
    environment, agent, tool = call
    places = lines_judging(lines, tool, ["a", "b", "ab"], agent if names_agent else "")
    assert first_fitting(lines, environment, agent, tool) in places


@pytest.mark.parametrize(
    ("before", "after", "tools"),
    [
        ("ab", "ab", ""),
        ("ab", "abc", "c"),
        ("ab", "b", "a"),
        ("ab", "ba", "b"),
        ("", "a", "a"),
    ],
)
def test_changed_bindings_include_added_removed_and_moved_ones(before, after, tools):
    lists = [[Binding("*", "*", tool, "one") for tool in each] for each in (before, after)]
    assert "".join(sorted({line.tool for line in changed_lines(*lists)})) == tools


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("production", "", "query_a"), "`two` applies, by row 2. Row 3 matches too"),
        (("staging", "", "other"), "No row matches, so `default` applies."),
    ],
)
def test_the_tester_names_the_applying_row_and_later_matches(call, words):
    lines = [
        Binding("production", "*", "http_*", "one"),
        Binding("*", "*", "query_*", "two"),
        Binding("*", "*", "query_a", "three"),
    ]
    assert applying_words(lines, all_fitting(lines, *call)).startswith(words)

"""Globs: `*`, `?`, and nothing else special."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.matching.globs import glob_matches

TEXTS = st.text("ab*?[.", max_size=12)


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("*", "", True),
        ("*", "anything", True),
        ("", "", True),
        ("", "a", False),
        ("billing-*", "billing-bot", True),
        ("billing-*", "Billing-bot", False),
        ("b?t", "bot", True),
        ("b?t", "bt", False),
        ("[ab]", "a", False),
        ("[ab]", "[ab]", True),
        ("*bot", "botbot", True),
        ("*a*", "*xa*y", True),
    ],
)
def test_a_glob_must_match_the_complete_text(pattern, text, matches):
    assert glob_matches(pattern, text) is matches


@given(TEXTS, TEXTS)
def test_a_glob_matches_like_the_equivalent_regular_expression(pattern, text):
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    assert glob_matches(pattern, text) is bool(re.fullmatch(expression, text, re.DOTALL))


def test_worst_case_globs_match_without_backtracking():
    """A matcher that backtracks for each letter would run for minutes here."""
    name = "a" * 1_024
    globs = [f"*{'?' * number}b" for number in range(200, 700)]
    assert not any(glob_matches(glob, name) for glob in globs)
    assert all(glob_matches(f"{glob[:-1]}a", name) for glob in globs)
    assert not glob_matches("*a" * 512, "a" * 511 + "b" * 513)

"""Session store keys: which are protected by limits, their session, and what counts as a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.session_store.domain import (
    LARGEST_NUMBER,
    as_counter,
    as_integer,
    as_number,
    is_counter,
    is_protected,
    session_of,
    text_of,
)


@pytest.mark.parametrize("key", ["s:a:attempts", "s:a:execs", "s:a:tool:x", "mine:attempts"])
def test_keys_that_limits_compare_are_protected(key):
    assert is_protected(key)


@pytest.mark.parametrize("key", ["s:a:consec_fail", "s:a:workflow:w:state", "attempts", "tool:x"])
def test_all_other_keys_are_unprotected(key):
    assert not is_protected(key)


@pytest.mark.parametrize(
    ("key", "session"),
    [
        ("s:a:attempts", "a"),
        ("s:a:tool:x:y", "a"),
        ("s:a:workflow:w:state", "a"),
        ("s:a:own value", "a"),
        ("s:team/9:execs", "team/9"),
        ("s:old:with:colons:attempts", "old:with:colons"),
        ("s:line\nbreak:attempts", "line\nbreak"),
        ("anything", None),
        ("s::attempts", None),
    ],
)
def test_a_key_contains_its_session_id(key, session):
    assert session_of(key) == session


def test_workflow_state_is_not_a_counter():
    assert is_counter("s:a:consec_fail")
    assert not is_counter("s:a:workflow:w:state")
    assert not is_counter("s:a:own value")


@given(st.integers(-LARGEST_NUMBER, LARGEST_NUMBER))
def test_an_integer_round_trips_through_text(number):
    assert as_integer(str(number)) == number


@given(st.text(st.sampled_from("0123456789+-. eE_٣"), max_size=20))
def test_only_canonical_integers_are_stored_as_numbers(text):
    number = as_integer(text)
    assert number is None or str(number) == text


@given(st.floats(-1e15, 1e15))
def test_a_fractional_counter_round_trips_through_text(number):
    assert as_number(text_of(number)) == as_counter(number)


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1e999", "1_0", " 1", "٣", "0x1"])
def test_other_texts_are_not_numbers(text):
    assert as_number(text) is None

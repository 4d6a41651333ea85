"""Which keys of the session store a limit hangs on, whose they are, and what counts as a number."""

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
def test_what_a_limit_compares_is_protected(key):
    assert is_protected(key)


@pytest.mark.parametrize("key", ["s:a:consec_fail", "s:a:workflow:w:state", "attempts", "tool:x"])
def test_all_other_keys_are_free(key):
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
def test_a_key_tells_its_session(key, session):
    assert session_of(key) == session


def test_a_workflows_state_counts_nothing():
    assert is_counter("s:a:consec_fail")
    assert not is_counter("s:a:workflow:w:state")
    assert not is_counter("s:a:own value")


@given(st.integers(-LARGEST_NUMBER, LARGEST_NUMBER))
def test_an_integer_reads_back_as_it_was_written(number):
    assert as_integer(str(number)) == number


@given(st.text(st.sampled_from("0123456789+-. eE_٣"), max_size=20))
def test_only_the_canonical_text_of_an_integer_is_stored_as_a_number(text):
    number = as_integer(text)
    assert number is None or str(number) == text


@given(st.floats(-1e15, 1e15))
def test_a_counter_of_fractions_counts_on_from_its_text(number):
    assert as_number(text_of(number)) == as_counter(number)


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1e999", "1_0", " 1", "٣", "0x1"])
def test_other_texts_are_no_numbers(text):
    assert as_number(text) is None

"""Arguments as form fields, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.cases.arguments import MOST_FIELDS, argument_fields, arguments_in
from governance.core.errors import InvalidInput

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=10)
VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.text(min_size=1, max_size=20),
    st.lists(st.integers(0, 9), max_size=3),
    st.none(),
)


@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=5))
def test_unchanged_fields_round_trip_to_the_same_arguments(args):
    sent = {field.key: field.value for field in argument_fields(args)}
    assert arguments_in(sent) == args


def test_each_kind_of_value_has_its_field_type():
    kinds = {
        each.name: each.kind
        for each in argument_fields({"a": "x", "n": 1.5, "f": True, "l": [1], "t": "x\ny"})
    }
    assert kinds == {"a": "text", "n": "number", "f": "flag", "l": "json", "t": "json"}


def test_an_empty_field_is_left_out():
    assert arguments_in({"arg:text:a": "", "arg:number:n": "2"}) == {"n": 2}


def test_arguments_without_fields_use_json():
    assert arguments_in({"args": "{}"}) is None
    assert argument_fields({}) == []
    assert argument_fields({str(number): 1 for number in range(MOST_FIELDS + 1)}) == []
    assert argument_fields({"a": "x" * 3_000}) == []


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("arg:number:n", "many", "n"),
        ("arg:number:n", "true", "enter a number"),
        ("arg:flag:f", "1", "enter true or false"),
        ("arg:json:l", "[", "n"),
    ],
)
def test_a_value_of_the_wrong_type_is_rejected_by_name(key, value, message):
    with pytest.raises(InvalidInput, match=message):
        arguments_in({key: value})

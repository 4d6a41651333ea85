"""Named arguments as lines of a form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.cases.argument_lines import lines_of, values_in
from governance.core.errors import InvalidInput
from governance.core.json_value import Json

TEXTS = st.text(max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def test_each_argument_is_written_on_one_line():
    args: dict[str, Json] = {
        "command": "rm -rf build/",
        "force": True,
        "times": 3,
        "paths": ["a", "b"],
    }
    assert lines_of(args) == 'command=rm -rf build/\nforce=true\ntimes=3\npaths=["a", "b"]'


def test_strings_that_resemble_other_types_round_trip():
    args = {"id": "7", "flag": "true", "text": '"x"', "padded": " x ", "empty": ""}
    assert values_in(lines_of(args)) == args


def test_typed_values_are_parsed_with_the_expected_types():
    typed = 'amount=1240.5\r\n account = A-2091 \n\nurl=https://x.test/?a=1&b=2\nzip=00441\nid="7"'
    assert values_in(typed) == {
        "amount": 1240.5,
        "account": "A-2091",
        "url": "https://x.test/?a=1&b=2",
        "zip": "00441",
        "id": "7",
    }


def test_a_json_object_is_also_accepted():
    assert values_in(' {"a": {"b": 1}}') == {"a": {"b": 1}}
    assert values_in("") == {}


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("amount", "Write `name=value`, not `amount`."),
        ("=5", "Write `name=value`"),
        ("a b=5", "Write `name=value`"),
        ("a=1\na=2", "`a` is listed twice."),
        ("a=[1", "`a`: "),
    ],
)
def test_an_invalid_line_error_explains_the_syntax(typed, reason):
    with pytest.raises(InvalidInput) as refused:
        values_in(typed)
    assert reason in str(refused.value)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_argument_lines_round_trip(values):
    assert values_in(lines_of(values)) == values

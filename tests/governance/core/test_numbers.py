"""Parsing of numbers in addresses and forms."""

import pytest

from governance.core.numbers import ID_DIGITS, parse_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("7", 7),
        ("007", 7),
        ("9" * 9, 10**9 - 1),
        ("9" * 10, None),
        ("9" * 5_000, None),  # more digits than Python's limit
        ("", None),
        (None, None),
        ("-1", None),
        ("+1", None),
        ("1.0", None),
        (" 1", None),
        ("²", None),
        ("٣", None),
        ("1_0", None),
    ],
)
def test_an_integer_has_only_digits_and_fits_a_column(text, number):
    assert parse_number(text) == number


def test_an_id_has_at_most_the_digits_that_fit_its_column():
    assert parse_number("9" * ID_DIGITS, ID_DIGITS) == 10**ID_DIGITS - 1 < 2**63
    assert parse_number("9" * (ID_DIGITS + 1), ID_DIGITS) is None

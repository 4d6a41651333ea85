"""Tables exported as CSV and JSON, streamed by row, with formulas escaped."""

import csv
import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.core.tables import as_csv, as_json

COLUMNS = {"value": lambda row: row}


def read(rows, columns=COLUMNS):
    return list(csv.reader(io.StringIO("".join(as_csv(columns, rows)), newline="")))


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "\uff1d1", "\uff201"]


@pytest.mark.parametrize("begins", FORMULAS)
def test_formulas_are_escaped_in_csv(begins):
    assert read([begins])[1] == [f"'{begins}"]


def test_negative_numbers_are_not_escaped_in_csv():
    assert read([-1, -0.5, 3])[1:] == [["-1"], ["-0.5"], ["3"]]


@given(st.lists(st.text(max_size=12), max_size=6))
def test_texts_round_trip_through_csv_except_for_formula_escapes(texts):
    # The reader skips empty lines, and the writer never writes one.
    back = [row[0] for row in read(texts)[1:]]
    assert [text.removeprefix("'") for text in back] == [text.removeprefix("'") for text in texts]
    assert not any(text.lstrip()[:1] in set("=+-@") and text.lstrip()[:1] for text in back)


def test_exported_values_match_the_api():
    row = {
        "at": datetime(2026, 11, 18, 6, tzinfo=UTC),
        "none": None,
        "yes": True,
        "list": ["a", "b"],
        "by": {"x": 1},
    }
    columns = {name: lambda row, name=name: row[name] for name in row}
    assert read([row], columns)[1] == [
        "2026-11-18T06:00:00Z",
        "",
        "true",
        '["a", "b"]',
        '{"x": 1}',
    ]
    (result,) = json.loads("".join(as_json(columns, [row], name="rows")))["rows"]
    assert result == row | {"at": "2026-11-18T06:00:00Z"}


@pytest.mark.parametrize("rows", [[], [1], [1, 2, 3]])
def test_json_exports_are_complete_for_any_number_of_rows(rows):
    body = json.loads("".join(as_json(COLUMNS, rows, name="many")))
    assert body == {"many": [{"value": row} for row in rows]}


def test_csv_rows_are_streamed():
    items = []

    def rows():
        for number in range(1_000):
            items.append(number)
            yield number

    written = as_csv(COLUMNS, rows())
    assert "value" in next(written)
    assert len(items) < 1_000

"""Outputs have the same shape if they differ only in their data."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.core.json_value import Json
from outcomes.suggestions.domain.shapes import LONGEST_SHOWN, shape_of

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=4) | st.sampled_from(("status", "ok", "a")), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"ok": False, "message": "m", "id": 4}, "{id: number, message: text, ok: false}"),
        ({"ok": True, "warnings": []}, "{ok: true, warnings: []}"),
        ({"status": "queued", "job": 7}, '{job: number, status: "queued"}'),
        ({"status": 404, "body": ""}, '{body: "", status: 404}'),
        ({"rows": [{"id": 1, "ok": True}, {"id": 2}]}, "{rows: [{id: number, ok?: bool}, …]}"),
        ({"rows": [1, "a", None]}, "{rows: [null | number | text, …]}"),
        ({"rows": [[], [1]]}, "{rows: [[number, …], …]}"),
        ({"u-123": {"a": 1}, "u-456": {"b": 1}}, "{*: {a?: number, b?: number}}"),
        ({"a b": None}, '{"a b": null}'),
        ('{"ok": false}', "JSON {ok: false}"),
        ("no [JSON]", "text"),
        ("{no JSON}", "text"),
        ("", '""'),
        (None, "null"),
        (3, "number"),
        ([], "[]"),
    ],
)
def test_a_shape_lists_keys_and_types_and_the_values_of_flags(value, text):
    assert shape_of(value).text == text


def test_shapes_differ_by_flag_values_but_not_by_record_values():
    assert shape_of({"ok": True}).digest != shape_of({"ok": False}).digest
    assert shape_of({"error": None}).digest != shape_of({"error": "x"}).digest
    assert shape_of({"error": {}}).digest != shape_of({"error": {"code": 4}}).digest
    one: Json = {"id": 1, "name": "name 1", "tags": ["x"]}
    other: Json = {"id": 2, "name": "name 2", "tags": ["y", "z"]}
    assert shape_of(one).digest == shape_of(other).digest


@settings(max_examples=200)
@given(values)
def test_the_shape_of_a_value_does_not_depend_on_key_order(value):
    shape = shape_of(value)
    assert shape == shape_of(_turned(value))
    assert len(shape.text) <= LONGEST_SHOWN


def _turned(value):
    match value:
        case dict():
            return {key: _turned(value[key]) for key in reversed(value)}
        case list():
            return [_turned(item) for item in value]
        case _:
            return value


@pytest.mark.parametrize(
    "value",
    [
        {f"k{n}": n for n in range(100_000)},
        [[n] for n in range(100_000)],
        json.loads("[" * 900 + "]" * 900),
        json.dumps([[0]] * 9_000),
        "[" * 60_000,
        "{" * 100_000,
        float("nan"),
        {"code": float("inf")},
        {"\ud800": "\ud800"},
    ],
    ids=lambda value: str(type(value)),
)
def test_a_hostile_value_has_a_short_shape(value):
    assert len(shape_of(value).text) <= LONGEST_SHOWN


def test_shapes_of_wide_and_deep_values_are_truncated():
    wide: Json = {
        f"{chr(97 + n % 26)}{chr(97 + n // 26)}": [{"a": [1] * 40}] * 40 for n in range(40)
    }
    assert "…" in shape_of({"x": wide}).text


def test_flags_of_a_wide_value_are_in_its_shape_at_any_position():
    wide: dict[str, Json] = {f"a{chr(97 + n % 26)}{chr(97 + n // 26)}": n for n in range(200)}
    assert shape_of(wide | {"ok": False}).digest != shape_of(wide | {"ok": True}).digest
    rows: Json = [{"a": [{"b": [1, 2]}] * 20, "c": "x"}] * 20
    assert "ok: false" in shape_of({"items": rows, "ok": False}).text


def test_a_count_is_classified_as_zero_or_not_and_a_code_by_its_value():
    assert shape_of({"failed": 2}).digest == shape_of({"failed": 31}).digest
    assert shape_of({"failed": 0}).digest != shape_of({"failed": 2}).digest
    assert shape_of({"status": 404}).digest != shape_of({"status": 200}).digest
    assert shape_of({"code": 10_234}).digest == shape_of({"code": 99_871}).digest


def test_fields_that_are_not_flags_contribute_only_their_type():
    one: Json = {"active": True, "type_of_plan": "basic", "age": 31, "2026-11-18": 4}
    other: Json = {"active": False, "type_of_plan": "pro", "age": 40, "2026-11-19": 7}
    assert shape_of(one).digest == shape_of(other).digest
    long: Json = {"status": "The parcel left the depot at noon."}
    assert shape_of(long).text == "{status: text}"

"""Completions are selectors in the form in which a condition would match the recorded value."""

import json

import pytest

from governance.core.json_value import Json
from outcomes.check_editor.domain.selectors import MOST, selectors_in


@pytest.mark.parametrize(
    ("result", "selectors"),
    [
        ({"ok": True, "a b": 1}, ["result.ok", 'result."a b"']),
        (
            {"rows": [{"id": 1}, {"error": 2}]},
            ["result.rows", "result.rows[*]", "result.rows[*].id", "result.rows[*].error"],
        ),
        ({"body": '{"ok": false}'}, ["result.body", "result.body|json.ok"]),
        ('{"ok": false}', ["result|json.ok"]),
        ("{no", []),
        (None, []),
    ],
)
def test_each_path_in_an_output_is_a_selector(result, selectors):
    assert selectors_in([result]) == selectors


def test_the_number_of_selectors_from_hostile_outputs_is_bounded():
    wide: dict[str, Json] = {f"k{number}": {"a": number} for number in range(1_000)}
    assert len(selectors_in([{**wide, str(n): n} for n in range(100)])) <= MOST
    deep = json.loads("[" * 900 + "]" * 900)
    assert len(selectors_in([deep, "[" * 90_000, {"x" * 90: 1}])) < 10

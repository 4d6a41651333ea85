"""Keys and values of the two formats, and lossless conversion between them."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from governance.texts.dialect import Dialect, dialect_of, swap_path
from tests.governance.dialects import to_new, to_old

RULE: dict[str, Any] = {"id": "a", "type": "pre", "tool": "x", "when": {"args.x": {"exists": True}}}


def old(**rule: Any) -> dict[str, Any]:
    return {"apiVersion": "edictum/v1", "kind": "ContractBundle", "contracts": [rule]}


def new(**rule: Any) -> dict[str, Any]:
    return {"apiVersion": "edictum/v1", "kind": "Ruleset", "rules": [rule]}


ROWS = {
    "kind and rules": (RULE, RULE),
    "a pre rule that denies": ({"then": {"effect": "deny"}}, {"then": {"action": "block"}}),
    "a pre rule that asks": ({"then": {"effect": "approve"}}, {"then": {"action": "ask"}}),
    "a post rule that warns": ({"then": {"effect": "warn"}}, {"then": {"action": "warn"}}),
    "a post rule that redacts": ({"then": {"effect": "redact"}}, {"then": {"action": "redact"}}),
    "an approval that times out to a denial": (
        {"then": {"timeout": 5, "timeout_effect": "deny"}},
        {"then": {"timeout": 5, "timeout_action": "block"}},
    ),
    "an approval that times out to a yes": (
        {"then": {"timeout_effect": "allow"}},
        {"then": {"timeout_action": "allow"}},
    ),
    "a sandbox that denies": (
        {"outside": "deny", "timeout_effect": "deny"},
        {"outside": "block", "timeout_action": "block"},
    ),
    "a sandbox that asks": ({"outside": "approve"}, {"outside": "ask"}),
    "texts that only look like words of a dialect": (
        {"id": "deny", "tool": "contracts", "then": {"message": "deny", "tags": ["approve"]}},
        {"id": "deny", "tool": "contracts", "then": {"message": "deny", "tags": ["approve"]}},
    ),
    "conditions": (
        {"when": {"effect": {"equals": "deny"}}},
        {"when": {"effect": {"equals": "deny"}}},
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_each_key_and_value_converts_both_ways(row):
    in_old, in_new = row
    assert to_new(old(**in_old)) == new(**in_new)
    assert to_old(new(**in_new)) == old(**in_old)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_a_document_already_in_the_format_is_unchanged(row):
    in_old, in_new = row
    assert to_old(old(**in_old)) == old(**in_old)
    assert to_new(new(**in_new)) == new(**in_new)


def test_conversion_preserves_key_order():
    document = old(id="a", then={"message": "m", "effect": "deny", "tags": []})
    assert list(to_new(document)) == ["apiVersion", "kind", "rules"]
    assert list(to_new(document)["rules"][0]["then"]) == ["message", "action", "tags"]


def test_conversion_does_not_modify_its_input():
    document = old(then={"effect": "deny"})
    to_new(document)
    assert document == old(then={"effect": "deny"})


def test_a_key_of_the_wrong_format_stays_invalid_after_conversion():
    assert to_new(old(then={"action": "block"})) == new(then={"effect": "deny"})


@pytest.mark.parametrize(
    ("kind", "has_contracts", "dialect"),
    [
        ("ContractBundle", False, Dialect.OLD),
        ("Ruleset", True, Dialect.NEW),
        (None, True, Dialect.OLD),
        (None, False, Dialect.NEW),
        ("Workflow", False, Dialect.NEW),
    ],
)
def test_the_format_is_detected_from_the_kind_or_else_the_rules_key(kind, has_contracts, dialect):
    assert dialect_of(kind=kind, has_contracts=has_contracts) is dialect


def test_paths_are_reported_in_either_format():
    assert swap_path(("contracts", 0, "then", "effect")) == ("rules", 0, "then", "action")
    assert swap_path(("rules", 0, "timeout_action")) == ("contracts", 0, "timeout_effect")
    assert swap_path(("rules", 0, "when", "action")) == ("contracts", 0, "when", "action")


WORDS = st.sampled_from(
    [
        "kind",
        "contracts",
        "rules",
        "then",
        "effect",
        "action",
        "timeout_effect",
        "timeout_action",
        "outside",
        "deny",
        "block",
        "approve",
        "ask",
        "allow",
        "ContractBundle",
        "Ruleset",
    ]
)
BOTH = {"contracts", "rules"}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(WORDS, ANYTHING, max_size=5) | st.builds(
    lambda kind, key, rules: {"kind": kind, key: rules},
    st.sampled_from(["ContractBundle", "Ruleset", "Workflow"]),
    st.sampled_from(["contracts", "rules"]),
    st.lists(st.dictionaries(WORDS, ANYTHING, max_size=4), max_size=2),
)


@given(DOCUMENTS)
def test_documents_round_trip_between_formats_unchanged(document):
    # Without a kind and with both lists of rules, the format is ambiguous.
    assume(document.get("kind") in ("ContractBundle", "Ruleset") or not document.keys() >= BOTH)
    there, back = (to_new, to_old) if document == to_old(document) else (to_old, to_new)
    assert back(there(document)) == document

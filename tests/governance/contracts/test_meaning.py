"""Changes between two contracts, by meaning."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.contracts.domain.meaning import changes
from governance.texts.changes import Change
from governance.texts.dialect import Dialect
from governance.texts.document import Document, read_document
from tests.governance.generated import DOCUMENTS, text_of

BEFORE: dict[str, Any] = {
    "apiVersion": "edictum/v1",
    "kind": "Ruleset",
    "metadata": {"name": "billing"},
    "defaults": {"mode": "enforce"},
    "tools": {"crm_read": {"side_effect": "read"}},
    "rules": [
        {
            "id": "limits",
            "type": "session",
            "limits": {"max_tool_calls": 150, "max_attempts": 200},
            "then": {"action": "block", "message": "Enough."},
        },
        {
            "id": "crm-fields",
            "type": "sandbox",
            "tools": ["crm_read", "crm_write"],
            "allows": {"domains": ["crm.example.test"]},
            "message": "Not there.",
        },
        {
            "id": "amount",
            "type": "pre",
            "tool": "pay",
            "mode": "observe",
            "when": {
                "all": [
                    {"args.amount": {"gt": 500}},
                    {"args.currency": {"in": ["EUR", "USD"]}},
                ]
            },
            "then": {"action": "block", "message": "Too much."},
        },
        {
            "id": "anything",
            "type": "pre",
            "tool": "*",
            "when": {"principal.role": {"exists": False}},
            "then": {"action": "ask", "message": "Who are you?"},
        },
    ],
}


def written(values: dict[str, Any]) -> Document:
    return read_document(yaml.safe_dump(values, sort_keys=False))


def changed(**edits: Any) -> tuple[Change, ...]:
    """Changes made by an edit of the first document; `rule__key` edits a key of that rule."""
    values = json.loads(json.dumps(BEFORE))
    for name, value in edits.items():
        rule, _, key = name.partition("__")
        if not key:
            values[name] = value
            continue
        (result,) = [each for each in values["rules"] if each["id"].replace("-", "_") == rule]
        if value is None:
            del result[key]
        else:
            result[key] = value
    return changes(written(BEFORE), written(values))


def described(**edits: Any) -> list[str]:
    return [str(change) for change in changed(**edits)]


def test_a_lowered_limit_is_described_with_both_values():
    assert changed(limits__limits={"max_tool_calls": 100, "max_attempts": 200}) == (
        Change("changed", "limits", "`max_tool_calls`", "150", "100"),
    )


def test_an_added_limit_is_described_as_a_change_from_no_limit():
    limits = {"max_tool_calls": 150, "max_attempts": 200, "max_calls_per_tool": {"send": 20}}
    assert described(limits__limits=limits) == [
        "rule `limits`, calls of `send`: no limit → 20 per session"
    ]


def test_tools_added_to_a_pattern_are_counted_and_named():
    tools = ["crm_merge", "crm_read", "crm_write", "crm_bulk"]
    assert described(crm_fields__tools=tools) == [
        "rule `crm-fields`: 2 tools added: `crm_merge`, `crm_bulk`"
    ]


def test_a_rule_that_leaves_observe_mode_is_one_mode_change():
    assert described(amount__mode="enforce") == ["rule `amount`, mode: observe → enforce"]


def test_an_explicit_default_is_not_a_change():
    assert (
        changed(amount__enabled=True, anything__mode="enforce", crm_fields__outside="block") == ()
    )


def test_a_default_mode_change_is_described_once_not_per_rule():
    assert described(defaults={"mode": "observe"}) == ["the document, mode: enforce → observe"]


def test_a_changed_operand_is_described_rather_than_the_condition():
    parts = [{"args.currency": {"in": ["USD", "EUR"]}}, {"args.amount": {"gt": 1000.0}}]
    assert described(amount__when={"all": parts}) == ["rule `amount`, `args.amount` >: 500 → 1000"]


def test_list_values_are_described_as_added_and_removed():
    parts = [{"args.amount": {"gt": 500}}, {"args.currency": {"in": ["CHF", "USD"]}}]
    assert described(amount__when={"all": parts}) == [
        'rule `amount`: `args.currency` is one of: "CHF" added; "EUR" removed'
    ]


def test_an_added_condition_is_described_by_itself():
    parts = [*BEFORE["rules"][2]["when"]["all"], {"environment": {"equals": "production"}}]
    assert described(amount__when={"all": parts}) == [
        'rule `amount`, condition, all of: nothing → `environment` is "production"'
    ]


def test_a_restructured_condition_is_described_completely():
    assert described(anything__when={"not": {"principal.role": {"exists": True}}}) == [
        "rule `anything`, condition: `principal.role` doesn't exist → not `principal.role` exists"
    ]


def test_the_order_of_conditions_matters_because_agents_stop_at_the_first_decision():
    parts = BEFORE["rules"][2]["when"]["all"]
    assert described(amount__when={"all": parts[::-1]}) == [
        "rule `amount`: its conditions are in another order, which counts where a value has the "
        "wrong type"
    ]
    twice = [*parts, json.loads(json.dumps(parts[0]))]
    assert changed(amount__when={"all": twice}) == ()


def test_true_is_not_one_in_a_condition():
    one, true = (
        written({**BEFORE, "rules": [{"id": "a", "when": {"args.x": {"equals": value}}}]})
        for value in (1, True)
    )
    assert [str(change) for change in changes(one, true)] == ["rule `a`, `args.x` is: 1 → true"]


def test_changes_of_action_message_and_timeout_are_described_in_words():
    then = {"action": "ask", "message": "May I?", "timeout": 60, "timeout_action": "allow"}
    assert described(amount__then=then) == [
        "rule `amount`, action: denies → asks",
        "rule `amount`, message: Too much. → May I?",
        "rule `amount`, time to answer: nothing → 1 min",
        "rule `amount`, without an answer: nothing → allows",
    ]


def test_an_explicit_default_timeout_is_not_a_change():
    then = {"action": "ask", "message": "Who are you?", "timeout": 300, "timeout_action": "block"}
    assert changed(anything__then=then) == ()


def test_changes_of_tags_metadata_and_the_enabled_flag_are_described():
    then = {"action": "block", "message": "Too much.", "tags": ["money"], "metadata": {"a": 1}}
    assert described(amount__then=then, anything__enabled=False) == [
        "rule `amount`, tags: nothing → `money`",
        "rule `amount`, metadata `a`: nothing → 1",
        "rule `anything`, switched: on → off",
    ]


def test_changes_outside_the_rules_are_attributed_to_the_document():
    tools = {"crm_read": {"side_effect": "write"}, "pay": {"side_effect": "irreversible"}}
    assert described(metadata={"name": "bills", "description": "All"}, tools=tools) == [
        "the document, name: billing → bills",
        "the document, description: not set → All",
        "the document, side effect of `crm_read`: read → write",
        "the document, side effect of `pay`: not set → irreversible",
    ]


def test_rules_added_and_removed_are_described():
    rule = {
        "id": "large-charge",
        "type": "pre",
        "tool": "charge",
        "when": {"args.amount": {"gt": 500}},
        "then": {"action": "ask", "message": "Large."},
    }
    assert described(rules=[*BEFORE["rules"][1:], rule]) == [
        "added rule `large-charge`: pre, `charge`: asks (5 min, then denies) when `args.amount` > "
        "500",
        "removed rule `limits`: session: denies above 200 `max_attempts`, 150 `max_tool_calls`",
    ]


def test_a_renamed_rule_is_not_described_as_removed_and_added():
    assert described(anything__id="who") == ["rule `who`, id: `anything` → `who`"]


def test_order_matters_if_a_call_can_match_both_rules():
    limits, crm, amount, anything = BEFORE["rules"]
    assert described(rules=[limits, crm, anything, amount]) == [
        "rule `anything`, place: tried after `amount` → tried before `amount`"
    ]
    assert changed(rules=[crm, amount, anything, limits]) == ()


def test_order_does_not_matter_between_rules_for_different_tools():
    limits, crm, amount, anything = BEFORE["rules"]
    anything = {**anything, "tool": "send_*"}
    before, after = (
        written({**BEFORE, "rules": [limits, crm, *two]})
        for two in ([amount, anything], [anything, amount])
    )
    assert changes(before, after) == ()


def test_without_an_earlier_version_every_rule_is_added():
    assert [(change.kind, change.subject) for change in changes(None, written(BEFORE))] == [
        ("added", rule["id"]) for rule in BEFORE["rules"]
    ]


def test_converting_between_formats_is_not_a_change():
    document = written(BEFORE)
    assert changes(document, read_document(document.twin)) == ()
    assert changes(read_document(document.twin), document) == ()


WORDS = st.text("ab.*5", max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=12,
)
KEYS = st.sampled_from(["id", "type", "tool", "tools", "when", "then", "limits", "mode", "enabled"])
RULES = st.lists(st.dictionaries(KEYS, JSON, max_size=6) | JSON, max_size=4)


@settings(max_examples=60, deadline=None)
@given(RULES, RULES)
def test_an_incomplete_contract_has_changes(old, new):
    before, after = (
        read_document(json.dumps({"kind": "Ruleset", "rules": rules})) for rules in (old, new)
    )
    assert changes(before, before) == ()
    assert all(str(change) for change in changes(before, after))


@pytest.mark.parametrize("text", ["a: 1", "rules: 5", "rules: [1, [2], {a: 2026-99-99}]"])
def test_a_broken_contract_is_described_as_far_as_possible(text):
    document = read_document(text)
    assert changes(document, document) == ()


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.booleans())
def test_formatting_and_contract_format_are_never_changes(values, flow):
    one = read_document(text_of(values))
    other = read_document(text_of(values, Dialect.OLD, default_flow_style=flow, width=20))
    assert changes(one, other) == ()
    assert changes(other, one) == ()


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.data())
def test_removing_a_rule_is_one_removal_and_restoring_it_one_addition(values, data):
    rules = values["rules"]
    gone = data.draw(st.sampled_from(rules))
    fewer = {**values, "rules": [rule for rule in rules if rule is not gone]}
    before, after = read_document(text_of(values)), read_document(text_of(fewer))
    assert [(each.kind, each.subject) for each in changes(before, after)] == [
        ("removed", gone["id"])
    ]
    assert [(each.kind, each.subject) for each in changes(after, before)] == [("added", gone["id"])]


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_changes_are_symmetric(one, other):
    there = changes(read_document(text_of(one)), read_document(text_of(other)))
    back = changes(read_document(text_of(other)), read_document(text_of(one)))
    assert bool(there) == bool(back)
    assert sum(each.kind == "added" for each in there) == sum(
        each.kind == "removed" for each in back
    )

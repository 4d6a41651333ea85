"""Changing the default mode of a contract from observe to enforce, in any YAML style."""

import pytest

from governance.contracts.domain.enforcing import enforced
from governance.texts.document import read_document

BODY = "apiVersion: edictum/v1\nkind: Ruleset\n{defaults}\nrules: []  # mode: observe\n"


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("defaults: {mode: observe}", "defaults: {mode: enforce}"),
        ("defaults:\n    mode:   observe  # observe at first", None),
        ('defaults: {"mode": "observe"}', 'defaults: {"mode": "enforce"}'),
        ("defaults: {mode: 'observe', x: observe}", "defaults: {mode: 'enforce', x: observe}"),
        ('defaults: {mode: "ob\\x73erve"}', "defaults: {mode: enforce}"),
        ("defaults: {mode: !!str observe}", "defaults: {mode: !!str enforce}"),
        ("# é 😀 before\ndefaults: {mode: observe}", "# é 😀 before\ndefaults: {mode: enforce}"),
    ],
)
def test_enforcing_changes_only_the_default_mode(written, becomes):
    becomes = becomes or "defaults:\n    mode:   enforce  # observe at first"
    result = enforced(read_document(BODY.format(defaults=written)))
    assert result is not None
    assert result.text == BODY.format(defaults=becomes)
    assert "mode" in result.text.splitlines()[result.line - 1]


@pytest.mark.parametrize("written", ["defaults: {mode: enforce}", "metadata: {mode: observe}"])
def test_a_contract_that_does_not_observe_by_default_is_unchanged(written):
    assert enforced(read_document(BODY.format(defaults=written))) is None


def test_a_rule_with_its_own_observe_mode_is_unchanged():
    text = "kind: Ruleset\ndefaults: {mode: observe}\nrules: [{id: a, mode: observe}]\n"
    result = enforced(read_document(text))
    assert result is not None
    assert result.text == text.replace("observe", "enforce", 1)


def test_enforcing_preserves_line_endings_and_all_other_bytes():
    text = "kind: Ruleset\r\ndefaults:\r\n  mode: observe\r\nrules: []"
    result = enforced(read_document(text))
    assert result is not None
    assert result.text == text.replace("observe", "enforce")
    assert result.line == 3

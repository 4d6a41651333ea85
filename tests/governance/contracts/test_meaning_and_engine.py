"""Contracts without described changes make the same decisions in the library."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.contracts.domain.meaning import changes
from governance.evaluation.engine import Engine
from governance.texts.document import read_document
from tests.governance.generated import CALLS, DOCUMENTS, text_of


def rewritten(value: Any, draw: Any) -> Any:
    """An equivalent or nearly equivalent version, which an author might consider the same."""
    if isinstance(value, dict):
        copy = {key: rewritten(item, draw) for key, item in value.items()}
        if set(copy) == {"when", "then", "type", "tool", "id"} and draw(st.booleans()):
            copy["when"] = {"all": [copy["when"]]}
        if "then" in copy and draw(st.booleans()):
            copy["enabled"] = copy.get("enabled", True)
        return copy
    if isinstance(value, list):
        copies = [rewritten(item, draw) for item in value]
        return draw(st.permutations(copies)) if draw(st.booleans()) else copies
    return float(value) if type(value) is int and abs(value) < 99 else value


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(DOCUMENTS, st.lists(CALLS, min_size=1, max_size=8), st.data())
def test_contracts_without_described_changes_decide_every_call_the_same(
    engine: Engine, values, calls, data
):
    other = rewritten(values, data.draw)
    before, after = read_document(text_of(values)), read_document(text_of(other))
    if changes(before, after) or not engine.validate(after).valid:
        return
    assert _decisions(engine, before, calls) == _decisions(engine, after, calls)


def _decisions(engine: Engine, document: Any, calls: Any) -> list[Any]:
    """Each decision with the result of each rule, sorted by rule."""
    return [
        (
            getattr(result, "action", result),
            sorted((rule.id, rule.passed, rule.message) for rule in getattr(result, "rules", ())),
        )
        for result in engine.evaluate(document, calls)
    ]

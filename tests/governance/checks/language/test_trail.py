"""The rules that are asked until one decides: it is the one that the matcher says."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.checks.authoring.trail import MOST_SEEN, SHOWN, Saw, Step, trail
from governance.checks.language.named import DEFAULT_COMPILED, NamedCheck
from governance.checks.language.text import check_text
from tests.governance.checks.language.strategies import TOOLS, as_yaml, documents, elapsed, results

TEXT = """
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: unified}
otherwise: default
rules:
  - {id: http, tool: "http_*", when: {result.status: {gte: 400}}, verdict: failure}
  - {id: both, when: {all: [{result.ok: {equals: false}}, {result.why: {exists: true}}]},
     verdict: failure}
  - {id: long, when: {result.text: {starts_with: x}}, verdict: success}
"""


def compiled(text: str) -> Any:
    checked = check_text(text, included=lambda name: None)
    assert checked.compiled is not None, checked.problems
    return checked.compiled


def test_what_each_rule_looked_at_stands_there_up_to_the_one_that_decides():
    check = compiled(TEXT)
    assert trail(check, "crm", {"ok": False, "text": "xyz"}) == [
        Step("both", (Saw("result.ok", "false"), Saw("result.why", "")), decides=False),
        Step("long", (Saw("result.text", '"xyz"'),), decides=True),
    ]
    assert [each.rule for each in trail(check, "http_get", {"status": 500})] == ["http"]


def test_after_the_last_rule_come_those_of_the_built_in_check():
    steps = trail(compiled(TEXT), "crm", {"is_error": True})
    assert [each.rule for each in steps] == ["both", "long", "null", "is_error"]
    assert steps[-1] == Step("is_error", (Saw("result.is_error", "true"),), decides=True)
    fine = [each.rule for each in trail(DEFAULT_COMPILED, "crm", "fine")]
    assert fine == ["null", "is_error", "error_prefix", "otherwise"]


def test_a_long_value_is_cut_and_no_rule_shows_more_than_a_few():
    many = "".join(f"{{result.a{n}: {{exists: true}}}}, " for n in range(9))
    check = compiled(
        TEXT.replace("{result.ok: {equals: false}}, {result.why: {exists: true}}", many)
    )
    (both, *_) = trail(check, "crm", {f"a{n}": "y" * 999 for n in range(8)})
    assert len(both.saw) == MOST_SEEN
    assert all(len(each.value) == SHOWN for each in both.saw)


def test_what_would_take_too_long_has_no_end():
    item = "{result.items: {every_item: {not: {item: {matches: '[ab]*z'}}}}}"
    text = TEXT.replace("{result.status: {gte: 400}}", item)
    steps = trail(compiled(text), "http_get", {"items": ["ab" * 400] * 5_000})
    assert not any(each.decides for each in steps)


@pytest.mark.slow
@given(documents(), st.sampled_from(TOOLS), results, elapsed)
def test_it_ends_where_the_matcher_does(document, tool, result, milliseconds):
    check = compiled(as_yaml(document))
    steps = trail(check, tool, result, milliseconds)
    assert [each.decides for each in steps] == [False] * (len(steps) - 1) + [True]
    assert steps[-1].rule == NamedCheck(check).explain(tool, result, milliseconds).rule

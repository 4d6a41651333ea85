"""Rules evaluated until one decides: the same one that the matcher reports."""

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


def test_the_trail_lists_values_read_by_each_rule_up_to_the_deciding_one():
    check = compiled(TEXT)
    assert trail(check, "crm", {"ok": False, "text": "xyz"}) == [
        Step("both", (Saw("result.ok", "false"), Saw("result.why", "")), decides=False),
        Step("long", (Saw("result.text", '"xyz"'),), decides=True),
    ]
    assert [each.rule for each in trail(check, "http_get", {"status": 500})] == ["http"]


def test_the_trail_continues_with_rules_of_the_default_check():
    steps = trail(compiled(TEXT), "crm", {"is_error": True})
    assert [each.rule for each in steps] == ["both", "long", "null", "is_error"]
    assert steps[-1] == Step("is_error", (Saw("result.is_error", "true"),), decides=True)
    fine = [each.rule for each in trail(DEFAULT_COMPILED, "crm", "fine")]
    assert fine == ["null", "is_error", "error_prefix", "otherwise"]


def test_the_trail_truncates_long_values_and_long_lists():
    many = "".join(f"{{result.a{n}: {{exists: true}}}}, " for n in range(9))
    check = compiled(
        TEXT.replace("{result.ok: {equals: false}}, {result.why: {exists: true}}", many)
    )
    (both, *_) = trail(check, "crm", {f"a{n}": "y" * 999 for n in range(8)})
    assert len(both.saw) == MOST_SEEN
    assert all(len(each.value) == SHOWN for each in both.saw)


def test_a_trail_that_exceeds_the_work_limit_has_no_deciding_rule():
    item = "{result.items: {every_item: {not: {item: {matches: '[ab]*z'}}}}}"
    text = TEXT.replace("{result.status: {gte: 400}}", item)
    steps = trail(compiled(text), "http_get", {"items": ["ab" * 400] * 5_000})
    assert not any(each.decides for each in steps)


@pytest.mark.slow
@given(documents(), st.sampled_from(TOOLS), results, elapsed)
def test_the_trail_ends_at_the_rule_that_the_matcher_reports(document, tool, result, milliseconds):
    check = compiled(as_yaml(document))
    steps = trail(check, tool, result, milliseconds)
    assert [each.decides for each in steps] == [False] * (len(steps) - 1) + [True]
    assert steps[-1].rule == NamedCheck(check).explain(tool, result, milliseconds).rule

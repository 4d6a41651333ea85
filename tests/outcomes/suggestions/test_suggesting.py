"""Detection of failures by the built-in checks, and adding their rules to another check."""

import json

import pytest
import yaml

from governance.checks.authoring.suggested_rules import name_for, new_text, with_suggested
from governance.checks.language.named import NamedCheck
from governance.checks.language.shipped import shipped, shipped_text
from governance.checks.language.shipped.rows import suggested
from governance.checks.language.text import check_text
from outcomes.suggestions.domain.suggesting import known_failure
from tests.outcomes.silent_failures import FAILING, WORKING

SUGGESTED = sorted(suggested())
TOOL = "crm_update"


def loaded(text):
    return yaml.load(text, Loader=yaml.CSafeLoader)  # the one that reads `a ?? b` within braces


def compiled(text):
    read = check_text(text, included=lambda name: shipped().get(name))
    assert not read.problems, (read.problems, text)
    assert read.compiled is not None
    return read.compiled


@pytest.mark.parametrize("tool", sorted(FAILING))
def test_each_silent_failure_is_matched_by_the_rule_for_its_pattern(tool):
    worked, failed, rule = FAILING[tool]
    assert known_failure(tool, worked, None) is None
    findings = known_failure(tool, failed, None)
    assert findings is not None
    assert f"{findings.check}/{findings.rule}" == rule


@pytest.mark.parametrize("tool", sorted(WORKING))
def test_an_output_that_only_resembles_a_failure_is_not_matched(tool):
    assert known_failure(tool, WORKING[tool], None) is None


def test_a_match_has_the_selector_and_the_value():
    findings = known_failure("http_get", {"status": 503}, None)
    assert findings is not None
    assert (findings.selector, findings.value) == ("result.status", 503)
    findings = known_failure("post", json.dumps({"success": False}), None)
    assert findings is not None
    assert (findings.selector, findings.value) == ("result|json.success", False)


@pytest.mark.parametrize(("check", "rule"), SUGGESTED)
def test_a_suggested_rule_gives_the_same_verdict_in_a_new_check(check, rule):
    text = with_suggested(new_text("ours", "default"), check, rule, TOOL)
    ours, theirs = NamedCheck(compiled(text)), NamedCheck(shipped()[check])
    examples = loaded(shipped_text(check) or "")["examples"]
    for example in examples:
        words = theirs.explain(TOOL, example["result"], example.get("elapsed_ms"))
        if words.rule != rule:
            continue
        here = ours.explain(TOOL, example["result"], example.get("elapsed_ms"))
        assert (here.verdict, here.rule) == ("failure", rule)
        assert ours.explain("another", example["result"], None).rule != rule


def test_a_suggested_rule_is_added_after_the_built_in_rules_that_precede_it():
    text = with_suggested(new_text("ours", "default"), "shell", "exit-code", "grep_logs")
    rules = [rule["id"] for rule in loaded(text)["rules"]]
    assert rules == ["nothing-found", "exit-code"]


def test_a_suggested_rule_is_appended_under_an_unused_id():
    text = with_suggested(new_text("ours", "flags"), "flags", "not-ok", TOOL)
    text = with_suggested(text, "flags", "not-ok", "other")
    document = loaded(text)
    assert document["include"] == ["flags"]
    assert document["otherwise"] == shipped()["flags"]["otherwise"]
    assert [rule["id"] for rule in document["rules"]] == ["not-ok", "not-ok-2"]
    assert [rule["tool"] for rule in document["rules"]] == [TOOL, "other"]
    compiled(text)


@pytest.mark.parametrize("tool", ["a|b", "[x]", "", "x" * 201, "a,b", "no", "null", "1.0", "☃ ü"])
def test_a_rule_can_be_saved_for_a_tool_with_any_name(tool):
    compiled(with_suggested(new_text(name_for(tool), "default"), "flags", "not-ok", tool))

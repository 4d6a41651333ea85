"""Known failures of the built-in checks, and their rules written into another check."""

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
def test_each_silent_failure_is_known_by_the_rule_of_its_form(tool):
    worked, failed, rule = FAILING[tool]
    assert known_failure(tool, worked, None) is None
    findings = known_failure(tool, failed, None)
    assert findings is not None
    assert f"{findings.check}/{findings.rule}" == rule


@pytest.mark.parametrize("tool", sorted(WORKING))
def test_what_only_sounds_like_a_failure_is_none(tool):
    assert known_failure(tool, WORKING[tool], None) is None


def test_the_value_is_shown_at_its_place():
    findings = known_failure("http_get", {"status": 503}, None)
    assert findings is not None
    assert (findings.selector, findings.value) == ("result.status", 503)
    findings = known_failure("post", json.dumps({"success": False}), None)
    assert findings is not None
    assert (findings.selector, findings.value) == ("result|json.success", False)


@pytest.mark.parametrize(("check", "rule"), SUGGESTED)
def test_every_rule_that_is_suggested_says_the_same_in_a_check_of_its_own(check, rule):
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


def test_what_the_library_knows_better_before_a_rule_is_known_here_too():
    text = with_suggested(new_text("ours", "default"), "shell", "exit-code", "grep_logs")
    rules = [rule["id"] for rule in loaded(text)["rules"]]
    assert rules == ["nothing-found", "exit-code"]


def test_a_rule_goes_behind_those_that_are_there_under_a_free_name():
    text = with_suggested(new_text("ours", "flags"), "flags", "not-ok", TOOL)
    text = with_suggested(text, "flags", "not-ok", "other")
    document = loaded(text)
    assert document["include"] == ["flags"]
    assert document["otherwise"] == shipped()["flags"]["otherwise"]
    assert [rule["id"] for rule in document["rules"]] == ["not-ok", "not-ok-2"]
    assert [rule["tool"] for rule in document["rules"]] == [TOOL, "other"]
    compiled(text)


@pytest.mark.parametrize("tool", ["a|b", "[x]", "", "x" * 201, "a,b", "no", "null", "1.0", "☃ ü"])
def test_a_tool_of_any_name_gets_a_rule_that_can_be_saved(tool):
    compiled(with_suggested(new_text(name_for(tool), "default"), "flags", "not-ok", tool))

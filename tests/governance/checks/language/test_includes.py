"""Checks that include other checks: rule order, versions, and one level of nesting."""

import pytest

from governance.checks.language.automata import automaton
from governance.checks.language.includes import fixed_in
from governance.checks.language.shipped import shipped
from governance.checks.language.shipped.versions import VERSIONS
from governance.checks.language.text import CheckedText, check_text
from governance.core.compiled_check import Compiled
from tests.governance.checks.language.written import HEAD, only_problem

OTHER = """\
rules:
  - id: pattern
    when: {any: [{not: {result: {matches: "^b"}}}, {result: {matches_any: [a, "^b"]}}]}
    verdict: unknown
  - id: items
    when: {result: {count_items: {when: {item.a: {matches: "^b"}}, is: {gte: 1}}}}
    verdict: failure
"""
OWN = 'rules:\n  - {id: pattern, when: {result: {matches: "c"}}, verdict: failure}\n'


def compiled(rest: str, name: str, version: int, **others: Compiled) -> Compiled:
    text = HEAD.replace("mine", name) + rest
    checked = check_text(text, included=others.get, version=version)
    assert checked.problems == ()
    assert checked.compiled
    return checked.compiled


def including(names: str, **others: Compiled) -> CheckedText:
    return check_text(HEAD + f"include: [{names}]\n" + OWN, included=others.get, version=2)


def patterns_of(compiled: Compiled) -> list[str]:
    known = {str(automaton(text)): text for text in ("^b", "a", "c")}
    return [known[str(each)] for each in compiled["automata"]]


def test_included_rules_come_first_and_name_their_check():
    other, third = compiled(OTHER, "other", 5), compiled(OWN, "third", 9)
    checked = including("third, other", other=other, third=third)
    assert checked.compiled
    assert [(rule["of"], rule["of_version"], rule["id"]) for rule in checked.compiled["rules"]] == [
        ("third", 9, "pattern"),
        ("other", 5, "pattern"),
        ("other", 5, "items"),
        (None, None, "pattern"),
    ]


def test_included_patterns_are_renumbered():
    other, third = compiled(OTHER, "other", 5), compiled(OWN, "third", 9)
    assert patterns_of(other) == ["^b", "a"]
    checked = including("third, other", other=other, third=third)
    assert checked.compiled
    assert patterns_of(checked.compiled) == ["c", "^b", "a"]
    third_rule, pattern, items, own = checked.compiled["rules"]
    leaf = {"select": [{"base": "result", "steps": []}], "text": "result"}
    assert pattern["when"] == {
        "any": [
            {"not": {**leaf, "op": "matches", "value": 1}},
            {**leaf, "op": "matches_any", "value": [2, 1]},
        ]
    }
    assert items["when"]["value"]["when"]["value"] == 1  # type: ignore[typeddict-item]  # a leaf
    assert third_rule["when"] == own["when"] == {**leaf, "op": "matches", "value": 0}


def test_including_a_check_does_not_modify_it():
    other = compiled(OTHER, "other", 5)
    again = compiled(OTHER, "other", 5)
    including("other", other=other)
    assert other == again


def test_included_rules_are_evaluated_before_the_checks_own():
    other = compiled(
        "rules:\n  - {id: first, when: {result: {equals: 1}}, verdict: unknown}\n", "other", 1
    )
    text = (
        HEAD + "include: [other]\n"
        "rules:\n  - {id: first, when: {result: {exists: true}}, verdict: failure}\n"
        "examples:\n  - {result: 1, verdict: unknown}\n  - {result: 2, verdict: failure}\n"
    )
    checked = check_text(text, included={"other": other}.get)
    assert checked.problems == ()
    assert [example.got for example in checked.examples] == ["unknown", "failure"]


def refusal(names: str, **others: Compiled) -> tuple[str, int | None, int | None]:
    problem = only_problem(including(names, **others))
    return problem.message, problem.line, problem.column


def test_an_unknown_check_cannot_be_included():
    assert refusal("other") == ("No check named `other`.", 5, 11)


def test_a_check_cannot_include_itself():
    assert refusal("mine") == ("A check cannot include itself.", 5, 11)


def test_a_check_cannot_be_included_twice():
    other = compiled(OTHER, "other", 5)
    assert refusal("other, other", other=other) == ("`other` is already included.", 5, 18)


def test_the_default_check_cannot_be_included():
    message, _, _ = refusal("default")
    assert "write `otherwise: default`" in message


def test_a_check_that_includes_others_cannot_be_included():
    other = compiled(OTHER, "other", 5)
    third = compiled("include: [other]\n", "third", 1, other=other)
    message, line, column = refusal("third", third=third)
    assert "`third` includes `other` itself" in message
    assert (line, column) == (5, 11)


def test_a_check_has_at_most_1000_rules_including_included_ones():
    lines = (
        f"  - {{id: r{n}, when: {{result: {{equals: {n}}}}}, verdict: failure}}\n"
        for n in range(500)
    )
    many = "rules:\n" + "".join(lines)
    first, second = compiled(many, "a", 1), compiled(many, "b", 1)
    message, line, _ = refusal("a, b", a=first, b=second)
    assert "there are 1,001 rules; at most 1,000" in message
    assert line == 7


def test_an_included_check_can_be_extracted_unchanged():
    other, third = compiled(OTHER, "other", 5), compiled(OWN, "third", 9)
    checked = including("third, other", other=other, third=third)
    assert checked.compiled
    assert fixed_in(checked.compiled, "other", 5) == other
    assert fixed_in(checked.compiled, "third", 9) == third
    again = including("other, third", other=fixed_in(checked.compiled, "other", 5), third=third)
    assert again.compiled
    assert again == including("other, third", other=other, third=third)


@pytest.mark.parametrize("name", sorted(VERSIONS))
def test_built_in_checks_can_be_extracted_from_checks_that_include_them(name):
    brought = shipped()[name]
    other = "http" if name == "mcp" else "mcp"
    text = HEAD + f"include: [{other}, {name}]\n" + OWN
    checked = check_text(text, included=shipped().get)
    assert checked.compiled
    fixed = fixed_in(checked.compiled, name, VERSIONS[name])
    assert (fixed["rules"], fixed["automata"]) == (brought["rules"], brought["automata"])

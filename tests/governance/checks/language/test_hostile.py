"""Checks designed to be expensive: each is accepted, or rejected with one clear message."""

import pytest

from governance.checks.language.text import check_text
from tests.governance.checks.language.written import HEAD, nothing_else, only_problem, read


def with_patterns(patterns: list[str]) -> str:
    return (
        HEAD
        + "rules:\n"
        + "".join(
            f"  - {{id: r{place}, when: {{result: {{matches: '{pattern}'}}}}, verdict: failure}}\n"
            for place, pattern in enumerate(patterns)
        )
    )


def with_key(key: str) -> str:
    """A check whose condition has this selector."""
    return (
        HEAD + f"rules:\n- id: a\n  verdict: failure\n  when:\n    ? '{key}'\n    : {{equals: 1}}\n"
    )


def with_word(word: str) -> str:
    return HEAD + f"rules:\n- {{id: a, verdict: failure, when: {{result: {{equals: {word}}}}}}}\n"


NESTED = "{not: " * 500 + "{result: {equals: 1}}" + "}" * 500
GROWS = "(a|b)*a(a|b){20}"  # two to the twentieth states

REFUSED = {
    "100 KB of one bracket": ("[" * 100_000, "Nested more than 50 levels"),
    "10,000 rules": (HEAD + "rules:\n" + "- {id: a}\n" * 10_000, "There are 10,000 rules"),
    "500 levels": (
        HEAD + f"rules:\n- {{id: a, verdict: failure, when: {NESTED}}}\n",
        "Nested more than 50 levels",
    ),
    "a pattern of a million states": (with_patterns([GROWS]), "more than 4,096 states"),
    "a pattern of many repetitions": (
        with_patterns(["((a{1,100}){1,100}){1,100}"]),
        "Repetitions count",
    ),
    "a pattern of 100 KB": (with_patterns(["a" * 100_000]), "at most 1,000 are allowed"),
    "more patterns than are taken": (
        with_patterns([f"a{number}" for number in range(300)]),
        "At most 200 patterns",
    ),
    "200 KB of digits": (with_word("9" * 200_000), "too large"),
    "a reason of 100 KB": (
        with_word("1").replace("{id: a", f"{{id: a, reason: '{'{' * 100_000}'"),
        "at most 1,000 are allowed",
    ),
    "100 KB of dots": (with_key("result" + "." * 100_000), "Enter a key after the dot"),
    "100 KB of quotes": (with_key('result."' + "\\" * 100_000), "never closed"),
    "100 KB of spaces": (with_key("result" + " " * 100_000), "not a step of a selector"),
    "an operator of 100 KB": (
        with_word("1").replace("equals: 1", f"? {'q' * 100_000}\n : 1"),
        "is not an operator",
    ),
    "examples that all rules read": (
        with_patterns([f"{number}[a-z]*q" for number in range(150)])
        + f"examples:\n- {{result: {'x' * 150_000}, verdict: success}}\n",
        "too large for so many rules",
    ),
    "tools that all globs read": (
        HEAD
        + "rules:\n"
        + "".join(
            f"- {{id: r{place}, tool: '{'*a' * 99}', when: {{result: {{equals: 1}}}},"
            " verdict: failure}\n"
            for place in range(300)
        )
        + f"examples:\n- {{tool: {'a' * 100_000}, result: 2, verdict: success}}\n",
        "too large for so many rules",
    ),
}


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_a_hostile_check_is_rejected_with_one_short_message(text, words):
    problem = only_problem(check_text(text, included=nothing_else))
    assert words in problem.message
    assert len(problem.message) < 200
    assert problem.line
    assert problem.column


ACCEPTED = {
    "a pattern that others walk for ever": with_patterns(["((a*)*)*b", "(x+x+)+y", "(.*.*.*)=="]),
    "a selector of 100 KB": with_key("result" + ".a" * 50_000),
    "20,000 alternatives": with_key("result" + " ?? result" * 20_000),
    "200 KB that could be a number": with_word("1_" * 100_000 + "x"),
    "200 KB that could be a time": with_word("1:" * 100_000 + "x"),
    "a list of 120,000 numbers": with_word("[" + "1," * 120_000 + "]"),
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_a_large_check_within_the_limits_is_accepted(text):
    assert check_text(text, included=nothing_else).problems == ()


def test_patterns_that_exceed_the_total_size_limit_are_rejected():
    patterns = [f"(a|b)*a(a|b){{10}}{number}" for number in range(30)]
    checked = check_text(with_patterns(patterns), included=nothing_else)
    assert {problem.message.split(":")[0] for problem in checked.problems} == {
        "The patterns up to here are too large together"
    }
    assert len(checked.problems) == 5


@pytest.mark.slow
def test_patterns_that_exceed_the_total_work_limit_are_rejected():
    patterns = [f"(?:a?){{270}}a{{270}}b{{{number}}}" for number in range(200)]
    checked = check_text(with_patterns(patterns), included=nothing_else)
    assert [problem.message for problem in checked.problems] == [
        "The patterns up to here exceed the work limit together."
    ]


def test_a_pattern_repeated_in_many_rules_is_compiled_once():
    text = with_patterns(["(?:a?){270}a{270}b"] * 100)
    assert check_text(text, included=nothing_else).problems == ()


def test_the_number_of_reported_problems_is_bounded():
    checked = read("".join(f"key-{number}: 1\n" for number in range(10_000)))
    assert len(checked.problems) == 100

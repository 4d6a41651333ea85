"""Conditions: compiled leaves, and errors with positions and fixes."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from governance.checks.language.automata import automaton
from governance.checks.language.operators import OPERATORS, OPTIONS
from governance.checks.language.selectors import read_selector
from governance.checks.language.text import check_text
from governance.checks.language.values import normal
from governance.core.compiled_check import Automaton
from governance.texts.notation import lines_of, words_at
from tests.governance.checks.language.strategies import as_yaml, documents
from tests.governance.checks.language.written import (
    HEAD,
    condition_of,
    nothing_else,
    only_problem,
    read,
    with_condition,
)

ITEM = [{"base": "item", "steps": []}]
RESULT = [{"base": "result", "steps": []}]

VALID: dict[str, Any] = {
    "{result: {exists: true}}": ("exists", True),
    "{result: {equals: null}}": ("equals", None),
    "{result: {equals: {a: [1.0, true]}}}": ("equals", {"a": [1, True]}),
    "{result: {not_equals: [x]}}": ("not_equals", ["x"]),
    "{result: {in: [1, null, [2]]}}": ("in", [1, None, [2]]),
    "{result: {not_in: [false]}}": ("not_in", [False]),
    "{result: {contains: ''}}": ("contains", ""),
    "{result: {contains_any: [a, b]}}": ("contains_any", ["a", "b"]),
    "{result: {starts_with: a}}": ("starts_with", "a"),
    "{result: {ends_with: a}}": ("ends_with", "a"),
    "{result: {matches: a+}}": ("matches", 0),
    "{result: {matches_any: [a, b, a]}}": ("matches_any", [0, 1, 0]),
    "{result: {gte: 400}}": ("gte", 400),
    "{result: {lt: -0.5}}": ("lt", -0.5),
    '{result: {type: "null"}}': ("type", "null"),
    "{result: {type: array}}": ("type", "array"),
    "{result: {empty: false}}": ("empty", False),
    "{result: {length: {gte: 3.0}}}": ("length", {"op": "gte", "value": 3}),
    "{result: {any_item: {gt: 0}}}": (
        "any_item",
        {"select": ITEM, "text": "item", "op": "gt", "value": 0},
    ),
    "{result: {no_item: {item: {gt: 0}}}}": (
        "no_item",
        {"select": ITEM, "text": "item", "op": "gt", "value": 0},
    ),
    "{result: {count_items: {when: {equals: a}, is: {lt: 2}}}}": (
        "count_items",
        {
            "when": {"select": ITEM, "text": "item", "op": "equals", "value": "a"},
            "is": {"op": "lt", "value": 2},
        },
    ),
}


@pytest.mark.parametrize(("condition", "compiled"), VALID.items(), ids=VALID)
def test_an_operator_is_compiled_with_its_value(condition, compiled):
    op, value = compiled
    assert condition_of(condition) == {"select": RESULT, "text": "result", "op": op, "value": value}


def test_nested_conditions_compile_to_the_same_structure():
    ok = {"select": RESULT, "text": "result", "op": "exists", "value": True}
    leaf = "{result: {exists: true}}"
    written = f"{{all: [{leaf}, {{any: [{{not: {leaf}}}]}}]}}"
    assert condition_of(written) == {"all": [ok, {"any": [{"not": ok}]}]}


def test_regex_options_are_compiled_into_the_automaton():
    result = condition_of("{result: {equals: a, ignore_case: true}}")
    assert result["ignore_case"] is True  # type: ignore[typeddict-item]  # a leaf
    text = "{result: {matches: '^a', ignore_case: true, multiline: true}}"
    checked = read(with_condition(text))
    assert checked.compiled
    assert checked.compiled["automata"] == [automaton("^a", ignore_case=True, multiline=True)]
    assert "ignore_case" not in checked.compiled["rules"][0]["when"]


def test_a_disabled_option_is_omitted():
    off = condition_of("{result: {equals: a, ignore_case: false}}")
    assert off == condition_of("{result: {equals: a}}")


def test_equal_patterns_share_one_automaton():
    checked = read(
        with_condition(
            "{any: [{result.a: {matches: x}}, {result.b: {matches: x}}, "
            "{result.c: {matches: x, ignore_case: true}}]}"
        )
    )
    assert checked.compiled
    assert len(checked.compiled["automata"]) == 2


WRONG = {  # the condition starts at line 8, column 7
    "{result.ok: {equal: 5}}": ("`equal` is not an operator. Did you mean `equals`?", 20, "equals"),
    "{result.ok: {'>=': 5}}": ("`>=` is not an operator. Did you mean `gte`?", 20, "gte"),
    "{result.ok: {regex: a}}": ("Did you mean `matches`?", 20, "matches"),
    "{result.ok: {startsWith: a}}": ("Did you mean `starts_with`?", 20, "starts_with"),
    "{result.ok: {is_empty: true}}": ("Did you mean `empty`?", 20, "empty"),
    "{result.ok: {between: [1, 2]}}": ("Put `gte` and `lte` under `all`", 20, ""),
    "{result.ok: {quux: 5}}": ("`quux` is not an operator.", 20, ""),
    "{result.ok: {not: {equals: 5}}}": ("goes around conditions", 20, ""),
    "{result.ok: {}}": ("Enter an operator", 19, ""),
    "{result.ok: {gte: 1, lt: 5}}": ("one operator", 28, ""),
    "{result.ok: {gte: 1, ignore_case: true}}": ("has no effect with `gte`", 28, ""),
    "{result.ok: {equals: a, multiline: true}}": ("has no effect with `equals`", 31, ""),
    "{result.ok: {equals: a, ignore_case: 1}}": ("true or false", 44, ""),
    "{result.ok: false}": ("Add a comparison", 19, "{equals: false}"),
    "{result.ok: [false]}": ("Add a comparison", 19, ""),
    "{result.ok: {equals: 1}, result.b: {equals: 1}}": ("this one has `result.ok`", 32, ""),
    "[{result.ok: {equals: 1}}]": ("under `all` or `any`", 7, ""),
    "{}": ("Enter a condition", 7, ""),
    "true": ("Enter a condition", 7, ""),
    "{equals: 5}": ("`result.status: {equals: …}`", 8, ""),
    "{all: {result: {equals: 1}}}": ("`all` needs a list", 13, ""),
    "{any: []}": ("`any` needs a list", 13, ""),
    "{not: [{result: {equals: 1}}]}": ("under `all` or `any`", 13, ""),
    "{result.größe: {equals: 1}}": ('needs quotes: ."größe"', 14, ""),
    "{'result.größe': {equals: 1}}": ('needs quotes: ."größe"', 15, ""),
    '{"result.\\u0061ä": {equals: 1}}': ('needs quotes: ."aä"', 8, ""),
    "{output.text: {equals: 1}}": ("Did you mean `result`?", 8, ""),
    "{result.ok: {gte: '400'}}": ("without quotes", 25, "400"),
    "{result.ok: {gte: many}}": ("Enter a number.", 25, ""),
    "{result.ok: {gte: true}}": ("Enter a number.", 25, ""),
    "{result.ok: {gte: no}}": ("write false", 25, ""),
    "{result.ok: {contains: 5}}": ("Put this text in quotes", 30, '"5"'),
    "{result.ok: {contains: [a]}}": ("Enter a text.", 30, ""),
    "{result.ok: {contains_any: a}}": ("Enter a list", 34, "[a]"),
    "{result.ok: {contains_any: []}}": ("Enter a list", 34, ""),
    "{result.ok: {contains_any: [a, 5]}}": ("Put this text in quotes", 38, '"5"'),
    "{result.ok: {in: {a: 1}}}": ("Enter a list", 24, ""),
    "{result.ok: {exists: 'true'}}": ("true or false", 28, ""),
    "{result.ok: {type: null}}": ('write "null" in quotes', 26, '"null"'),
    "{result.ok: {type: boolean}}": ("`boolean` is not a type. Did you mean `bool`?", 26, "bool"),
    "{result.ok: {type: integer}}": ("Did you mean `number`?", 26, "number"),
    "{result.ok: {type: dict}}": ("Did you mean `object`?", 26, "object"),
    "{result.ok: {type: 5}}": ("Enter a type: null, bool", 26, ""),
    "{result.ok: {type: [bool]}}": ("Enter a type", 26, ""),
    "{result.ok: {length: 3}}": ("Enter a comparison", 28, "{equals: 3}"),
    "{result.ok: {length: {gte: 1, lt: 3}}}": ("Enter one comparison", 28, ""),
    "{result.ok: {length: {min: 1}}}": ("`min` does not compare numbers", 29, "gte"),
    "{result.ok: {length: {gte: x}}}": ("Enter a number.", 34, ""),
    "{result.ok: {matches: ''}}": ("An empty pattern", 29, ""),
    "{result.ok: {matches: 'a(b'}}": ("A ( is not closed by a )", 31, ""),
    "{result.ok: {any_item: 5}}": ("Enter a condition", 30, ""),
    "{result.ok: {any_item: {equal: 5}}}": ("Did you mean `equals`?", 31, "equals"),
    "{result.ok: {any_item: {gte: 1, lt: 5}}}": ("one operator", 39, ""),
    "{result.ok: {any_item: {not: {equals: 5}}}}": ("`item: {equals: …}`", 37, ""),
    "{result.ok: {count_items: {when: {equals: 5}}}}": ("which items, and how many", 33, ""),
    "{item.ok: {equals: 1}}": ("only inside any_item", 8, ""),
    "{result: {any_item: {'result[*]': {equals: 1}}}}": ("keys and indexes only", 28, ""),
    "{result: {any_item: {result|json: {equals: 1}}}}": ("keys and indexes only", 28, ""),
    "{result: {any_item: {result: {any_item: {equals: 1}}}}}": ("of the `item` only", 37, ""),
}


@pytest.mark.parametrize(("condition", "message"), WRONG.items(), ids=WRONG)
def test_an_invalid_condition_is_reported_at_its_position(condition, message):
    words, column, fix = message
    problem = only_problem(read(with_condition(condition)))
    assert words in problem.message
    assert (problem.line, problem.column, problem.fix) == (8, column, fix)
    assert problem.path.startswith("rules[0].when")


def test_no_fix_is_proposed_if_the_replaced_text_is_ambiguous():
    problem = only_problem(read(with_condition("result.ok: not found")))
    assert "Add a comparison" in problem.message
    assert problem.fix == ""


FIXED = [condition for condition, (_, _, fix) in WRONG.items() if fix]


@pytest.mark.parametrize("condition", FIXED)
def test_the_proposed_fix_makes_a_condition_valid(condition):
    text = HEAD + with_condition(condition)
    problem = only_problem(check_text(text, included=nothing_else))
    lines = lines_of(text)
    assert problem.line
    assert problem.column
    line, begin = lines[problem.line - 1], problem.column - 1
    end = begin + len(words_at(lines, problem))
    lines[problem.line - 1] = line[:begin] + problem.fix + line[end:]
    assert check_text("\n".join(lines), included=nothing_else).problems == ()


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(documents())
def test_compiled_rules_are_equivalent_to_the_source(document):
    checked = check_text(as_yaml(document), included=nothing_else)
    assert checked.compiled
    for rule, written in zip(checked.compiled["rules"], document["rules"], strict=True):
        assert_same(rule["when"], written["when"], checked.compiled["automata"], in_item=False)
        assert rule["tool"] == written.get("tool", "*")
        assert (rule["verdict"], rule["label"]) == (written["verdict"], written.get("label"))


def assert_same(made: Any, written: Any, automata: list[Automaton], *, in_item: bool) -> None:
    word = next(iter(written))
    if word in ("all", "any"):
        for part, other in zip(made[word], written[word], strict=True):
            assert_same(part, other, automata, in_item=in_item)
        return
    if word == "not":
        assert_same(made["not"], written["not"], automata, in_item=in_item)
        return
    # An operator without a selector applies to the item itself.
    on_item = word in OPERATORS or word in OPTIONS
    selector, body = ("item", written) if on_item else (word, written[word])
    options = {name: value for name, value in body.items() if name in OPTIONS}
    ((operator, operand),) = [pair for pair in body.items() if pair[0] not in OPTIONS]
    assert made["select"] == read_selector(selector, in_item=in_item)
    assert (made["text"], made["op"]) == (selector, operator)
    match operator:
        case "matches":
            assert automata[made["value"]] == automaton(operand, **options)
        case "matches_any":
            expected = [automaton(pattern, **options) for pattern in operand]
            assert [automata[place] for place in made["value"]] == expected
        case "any_item" | "every_item" | "no_item":
            assert_same(made["value"], operand, automata, in_item=True)
        case "count_items":
            assert_same(made["value"]["when"], operand["when"], automata, in_item=True)
            assert_compared(made["value"]["is"], operand["is"])
        case "length":
            assert_compared(made["value"], operand)
        case _:
            assert made.get("ignore_case", False) == options.get("ignore_case", False)
            assert repr(made["value"]) == repr(normalised(operand))


def assert_compared(made: Any, written: Any) -> None:
    ((operator, number),) = written.items()
    assert made == {"op": operator, "value": normal(number)}


def normalised(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int() | float():
            return normal(value)
        case list():
            return [normalised(item) for item in value]
        case dict():
            return {key: normalised(item) for key, item in value.items()}
        case _:
            return value


@pytest.mark.slow
def test_generated_documents_cover_every_operator_and_option():
    seen: Counter[str] = Counter()

    @settings(max_examples=300, deadline=None, database=None)
    @given(documents())
    def evaluate(document):
        seen.update(words_in([rule["when"] for rule in document["rules"]]))

    evaluate()
    assert {word for word in (*OPERATORS, *OPTIONS) if seen[word] < 5} == set()


def words_in(value: Any) -> Iterator[str]:
    inner = value if isinstance(value, list) else []
    if isinstance(value, dict):
        yield from value
        inner = list(value.values())
    for each in inner:
        yield from words_in(each)

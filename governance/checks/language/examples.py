"""Examples of a check: results with an expected verdict, run whenever the text is read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from governance.checks.language.fields import keys_of, listed, needed, one_of
from governance.checks.language.matcher import Explanation, build, canonical
from governance.checks.language.problems import Problems
from governance.checks.language.rules import VERDICTS
from governance.checks.language.tree import Keys, Listing, Node, Word
from governance.checks.language.values import number_of, text_of, value_of
from governance.core.compiled_check import Compiled
from governance.core.json_value import Json

MOST: Final = 500
KEYS: Final = ("tool", "result", "verdict", "elapsed_ms")
# Comparisons times characters, a few seconds' worth whatever the ratio of the two.
MOST_WORK: Final = 10_000_000
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Example:
    index: int
    node: Node
    tool: str
    result: Json
    verdict: str
    elapsed_ms: float | None
    size: int  # approximate characters of its text


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleResult:
    index: int  # from 0, in the order of the text
    line: int
    tool: str
    expected: str
    got: str
    explanation: Explanation

    @property
    def passed(self) -> bool:
        return self.got == self.expected


def read_examples(document: Keys, problems: Problems) -> list[Example]:
    examples = []
    for index, node in enumerate(listed(document, "examples", problems, MOST)):
        if problems.full:
            break
        example = _example(index, node, problems)
        if example is not None:
            examples.append(example)
    return examples


def run_examples(
    examples: list[Example], compiled: Compiled, problems: Problems
) -> tuple[ExampleResult, ...]:
    """Results of all examples. Reports a problem for each one with an unexpected verdict."""
    if not examples:
        return ()
    comparisons = sum(_weight(rule["when"]) for rule in compiled["rules"])
    tools = {example.tool for example in examples}
    globbing = sum(len(rule["tool"]) for rule in compiled["rules"]) * sum(map(len, tools))
    if comparisons * sum(example.size for example in examples) + globbing > MOST_WORK:
        problems.at(
            examples[0].node,
            "The examples are too large for so many rules, so none was run. Shorten their outputs.",
        )
        return ()
    judge = build(compiled)
    results = []
    for example in examples:
        explanation = judge(example.tool, example.result, example.elapsed_ms)
        result = ExampleResult(
            index=example.index,
            line=example.node.at.line,
            tool=example.tool,
            expected=example.verdict,
            got=explanation.verdict,
            explanation=explanation,
        )
        if not result.passed:
            problems.at(example.node, _broken(result))
        results.append(result)
    return tuple(results)


def _example(index: int, node: Node, problems: Problems) -> Example | None:
    keys = keys_of(node, problems, "An example", KEYS)
    if keys is None:
        return None
    result = needed(keys, "result", problems, "the output of the tool, which may be null.")
    verdict = needed(keys, "verdict", problems, "success, failure or unknown.")
    tool, elapsed = keys.get("tool"), keys.get("elapsed_ms")
    name = text_of(tool, problems) if tool else ""
    elapsed_ms = number_of(elapsed, problems) if elapsed else None
    expected = one_of(verdict, VERDICTS, problems, "verdict") if verdict else None
    if result is None or expected is None or name is None:
        return None
    value = value_of(result, problems)
    return Example(index, node, name, value, expected, elapsed_ms, _size(result))


def _broken(result: ExampleResult) -> str:
    explanation = result.explanation
    beginning = f"Got {result.got} instead of {result.expected}: "
    if not explanation.selector:
        return beginning + (
            "no rule matched."
            if explanation.rule == "otherwise"
            else f"rule `{explanation.rule}` decided."
        )
    seen = canonical(explanation.value)
    shown = seen if len(seen) <= _SHOWN else seen[: _SHOWN - 1] + "…"
    return beginning + f"rule `{explanation.rule}` saw {shown} in `{explanation.selector}`."


def _size(node: Node) -> int:
    match node:
        case Word(text=text):
            return len(text) + 1
        case Listing(items=items):
            return 1 + sum(map(_size, items))
        case Keys():
            return 1 + sum(_size(key) + _size(value) for key, value in node)


def _weight(condition: Any) -> int:
    return sum(_weights(condition))


def _weights(condition: Any) -> Iterator[int]:
    match condition:
        case {"all": parts} | {"any": parts}:
            for part in parts:
                yield from _weights(part)
        case {"not": part}:
            yield from _weights(part)
        case {"op": "any_item" | "every_item" | "no_item", "value": inner}:
            yield 1 + _weight(inner)
        case {"op": "count_items", "value": {"when": inner}}:
            yield 1 + _weight(inner)
        case {"value": list(several)}:
            yield 1 + len(several)
        case _:
            yield 1

"""Reference interpreter of checks, simple and slow, which the matchers are compared with.

Written from the documented meaning of the language. It shares no code with the parser, compiler
or matcher, reads only the parsed YAML, and matches patterns with RE2.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any, NamedTuple

import re2

from tests.governance.checks.language.oracle_values import (
    GONE,
    canonical,
    compared,
    decoded,
    equal_values,
    kind,
    lowered,
    rounded,
    same,
    shown,
    spread,
    without_halves,
)


class Expected(NamedTuple):
    verdict: str
    rule: str
    selector: str
    value: Any
    reason: str
    labels: list[str]
    cut: bool
    leaf: dict[str, Any] | None  # the deciding one


def judged(document: dict[str, Any], tool: str, result: Any, elapsed_ms: Any = None) -> Expected:
    looking = Looking(tool, rounded(result), GONE if elapsed_ms is None else elapsed_ms)
    for rule in document.get("rules", ()):
        if not globbed(rule.get("tool", "*"), tool):
            continue
        truth, leaf = looking.holds(rule["when"], GONE)
        if truth:
            selector = next(iter(leaf)) if leaf else ""
            value = looking.find(selector, GONE) if leaf else GONE
            reason = looking.filled(rule.get("reason", ""), value)
            labels = [rule["label"]] if "label" in rule else []
            return Expected(
                *(rule["verdict"], rule["id"], selector, shown(value), reason, labels),
                *(False, leaf),
            )
    verdict, name, selector, value, reason = document["otherwise"], "otherwise", "", GONE, ""
    if verdict == "default":
        verdict, name, selector, value, reason = by_default(looking.result)
    return Expected(verdict, name, selector, shown(value), reason, [], cut=False, leaf=None)


def by_default(result: Any) -> tuple[str, str, str, Any, str]:
    if result is None:
        return "success", "null", "result", GONE, ""
    if isinstance(result, dict) and result.get("is_error"):
        flag = result["is_error"]
        return "failure", "is_error", "result.is_error", flag, "The result says is_error."
    if isinstance(result, str) and re.match("(error|fatal):", result, re.IGNORECASE | re.ASCII):
        return "failure", "error_prefix", "result", result, "The text begins like an error."
    return "success", "otherwise", "", GONE, ""


def globbed(glob: str, tool: str) -> bool:
    return fnmatchcase(tool, glob.replace("[", "[[]"))


@dataclass
class Looking:
    tool: str
    result: Any
    elapsed_ms: Any
    read: dict[str, Any] = field(default_factory=dict)

    def holds(self, when: dict[str, Any], item: Any) -> tuple[bool, Any]:
        """Whether the condition is true, and the leaf that decided."""
        ((word, inside),) = when.items()
        if word == "not":
            return not self.holds(inside, item)[0], first_leaf(inside)
        if word in ("all", "any"):
            for each in inside:
                truth, leaf = self.holds(each, item)
                if truth is (word == "any"):
                    return truth, leaf
            if word == "any":
                return False, None
            return True, next(decided for each in inside if (decided := self.holds(each, item)[1]))
        return self.operated(self.find(word, item), inside), when

    def operated(self, seen: Any, test: dict[str, Any]) -> bool:
        options: dict[str, bool] = {
            name: given for name, given in test.items() if name in ("ignore_case", "multiline")
        }
        ((op, operand),) = [pair for pair in test.items() if pair[0] not in options]
        if op == "exists":
            return (seen is not GONE and seen is not None) is bool(operand)
        if seen is GONE:
            return False
        fold = lowered if options.get("ignore_case") else same
        if op in ("equals", "not_equals", "in", "not_in"):
            several = operand if op in ("in", "not_in") else [operand]
            equal = any(equal_values(fold(seen), fold(rounded(each))) for each in several)
            return equal == (op in ("equals", "in"))
        if op == "type":
            return bool(kind(seen) == operand)
        if op == "empty":
            return (seen is None or seen in ("", [], {})) is bool(operand)
        if op in ("gt", "gte", "lt", "lte"):
            return kind(seen) == "number" and compared(seen, op, rounded(operand))
        if op == "length":
            return kind(seen) in ("string", "array", "object") and self.operated(len(seen), operand)
        if op in ("any_item", "every_item", "no_item", "count_items"):
            return isinstance(seen, list) and self.holds_for_items(op, seen, operand)
        return isinstance(seen, str) and self.in_text(op, seen, operand, options)

    def in_text(self, op: str, seen: str, operand: Any, options: dict[str, bool]) -> bool:
        several = operand if isinstance(operand, list) else [operand]
        fold: Callable[[Any], Any] = lowered if options.get("ignore_case") else same
        text = fold(seen)
        if op.startswith("matches"):
            # Generated patterns contain no uppercase class escapes, and none matches the character
            # that replaces lone surrogates, which RE2 cannot read.
            begin, text = "(?m)" if options.get("multiline") else "", without_halves(text)
            return any(re2.search(begin + fold(each), text) is not None for each in several)
        has: dict[str, Callable[[str], bool]] = {
            "contains": text.__contains__,
            "contains_any": text.__contains__,
            "starts_with": text.startswith,
            "ends_with": text.endswith,
        }
        return any(has[op](fold(each)) for each in several)

    def holds_for_items(self, op: str, items: list[Any], operand: dict[str, Any]) -> bool:
        when = operand["when"] if op == "count_items" else operand
        truths = (self.about_item(when, item) for item in items)
        match op:
            case "any_item":
                return any(truths)
            case "every_item":
                return all(truths)
            case "no_item":
                return not any(truths)
            case _:
                return self.operated(sum(truths), operand["is"])

    def about_item(self, when: dict[str, Any], item: Any) -> bool:
        first = next(iter(when))
        is_condition = first in ("all", "any", "not") or re.match(
            r"item|result|tool|elapsed", first
        )
        return self.holds(when, item)[0] if is_condition else self.operated(item, when)

    def find(self, selector: str, item: Any) -> Any:
        ways = split(selector)
        for way in ways:
            base, steps = parsed(way)
            start = {"result": self.result, "tool": self.tool, "elapsed_ms": self.elapsed_ms}
            result = self.follow(item if base == "item" else start[base], steps)
            if len(ways) == 1 or (result is not GONE and result is not None):
                return result
        return GONE

    def follow(self, value: Any, steps: list[str]) -> Any:
        if not steps or value is GONE:
            return value
        step, *rest = steps
        if step in ("[*]", ".*"):
            inner = spread(value, step)
            if inner is GONE:
                return GONE
            one_way = [self.follow(each, rest) for each in inner]
            # A list of lists is flattened if a later step spreads it again.
            items = [each for each in one_way if each is not GONE]
            return list(chain(*items)) if {"[*]", ".*"} & set(rest) else items
        return self.follow(self.stepped(value, step), rest)

    def stepped(self, value: Any, step: str) -> Any:
        if step == "|text":
            return value if isinstance(value, str) else canonical(value)
        if step == "|json":
            return decoded(value) if isinstance(value, str) else GONE
        if step.startswith("["):
            place = int(step[1:-1])
            inside = isinstance(value, list) and -len(value) <= place < len(value)
            return value[place] if inside else GONE
        name = json.loads(step[1:]) if step.startswith('."') else step[1:]
        return value.get(name, GONE) if isinstance(value, dict) else GONE

    def filled(self, reason: str, value: Any) -> str:
        parts = re.split(r'(\{\{|\}\}|\{(?:"(?:[^"\\]|\\.)*"|[^{}"])*\})', reason)
        texts = []
        for part in parts:
            if part in ("{{", "}}") or not part.startswith("{"):
                texts.append(part[:1] if part in ("{{", "}}") else part)
            else:
                seen = value if part == "{value}" else self.find(part[1:-1], GONE)
                text = "" if seen is GONE else seen if isinstance(seen, str) else canonical(seen)
                texts.append(without_halves(text[:200]) if isinstance(seen, str) else text[:200])
        return "".join(texts)[:500]


def first_leaf(when: dict[str, Any]) -> dict[str, Any]:
    word, inside = next(iter(when.items()))
    if word == "not":
        return first_leaf(inside)
    return first_leaf(inside[0]) if word in ("all", "any") else when


def split(selector: str) -> list[str]:
    """Split at each `??` outside quotes."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|\?\?|.', selector, re.DOTALL)
    ways = [""]
    for token in tokens:
        if token == "??":
            ways.append("")
        else:
            ways[-1] += token
    return [way.strip() for way in ways]


def parsed(way: str) -> tuple[str, list[str]]:
    base = re.match(r"[a-z_]+", way)
    assert base, way
    steps = re.findall(r'\."(?:[^"\\]|\\.)*"|\.\*|\.[\w$@-]+|\[[^]]*\]|\|\s*\w+', way[base.end() :])
    return base[0], [step.replace(" ", "") if step.startswith("|") else step for step in steps]

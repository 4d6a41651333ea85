"""Trace of the rules that one result was tested against, in order, up to the one that decided, with
the values each rule read. For display only: verdicts come from the matcher."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from governance.checks.language.matcher import default
from governance.core.compiled_check import Compiled
from governance.core.json_value import Json
from governance.matching.call import MISSING, UNREAD, Call, TooMuch
from governance.matching.canonical import canonical, short_text
from governance.matching.conditions import UNDECIDED, condition_of
from governance.matching.globs import glob_matches
from governance.matching.patterns import pattern_of
from governance.matching.selectors import selector_of

WORK: Final = 2_000_000  # bounded, because a page waits for it
MOST_SEEN: Final = 4  # selectors per rule
SHOWN: Final = 120  # characters per value
OTHERWISE: Final = "otherwise"
BUILT_IN: Final = ("null", "is_error", "error_prefix")  # tests of the default check, in order


@dataclass(frozen=True, slots=True)
class Saw:
    selector: str
    value: str  # as JSON; empty if missing


@dataclass(frozen=True, slots=True)
class Step:
    rule: str
    saw: tuple[Saw, ...]
    decides: bool


def trail(
    compiled: Compiled, tool: str, output: Json, elapsed_ms: float | None = None
) -> list[Step]:
    """Steps up to the deciding rule; incomplete if they would take too much work."""
    call = Call(tool, output, elapsed_ms)
    call.left = WORK
    steps: list[Step] = []
    try:
        for step in _steps(compiled, call):
            steps.append(step)
            if step.decides:
                break
    except TooMuch:
        pass
    return steps


def _steps(compiled: Compiled, call: Call) -> Iterator[Step]:
    patterns = [pattern_of(each) for each in compiled["automata"]]
    for rule in compiled["rules"]:
        if not glob_matches(rule["tool"], call.tool):
            continue
        name = f"{rule['of']}/{rule['id']}" if rule["of"] else rule["id"]
        leaf = condition_of(rule["when"], patterns)(call)
        if leaf is UNDECIDED:
            raise TooMuch
        yield Step(name, tuple(islice(_saw(rule["when"], call), MOST_SEEN)), leaf is not None)
    if compiled["otherwise"] == "default":
        yield from _built_in_steps(call)
    yield Step(OTHERWISE, (), decides=True)


def _built_in_steps(call: Call) -> Iterator[Step]:
    decides, result = default(call.result).rule, call.result
    for rule in BUILT_IN:
        saw: tuple[Saw, ...] = ()
        if rule == "is_error":
            flag = result.get("is_error", MISSING) if isinstance(result, dict) else MISSING
            saw = (_seen("result.is_error", flag),)
        yield Step(rule, saw, rule == decides)


def _saw(condition: Mapping[str, Any], call: Call) -> Iterator[Saw]:
    """Values that the leaf conditions read, except tests on list items."""
    if "select" in condition:
        yield _seen(condition["text"], selector_of(condition["select"])(call))
        return
    inner = [condition["not"]] if "not" in condition else condition.get("all", condition.get("any"))
    seen = set[Saw]()
    for each in inner or ():
        for saw in _saw(each, call):
            if saw not in seen:
                seen.add(saw)
                yield saw


def _seen(selector: str, value: Any) -> Saw:
    if value is MISSING or value is UNREAD:
        return Saw(selector, "")
    text = canonical(short_text(value) if type(value) is str else value, SHOWN)
    return Saw(selector, text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")

"""Detects whether a verdict depends on a value that was masked before it was stored.

The matcher knows nothing about masks: agents run the same code on unmasked values. So for outputs
that contain a mask, the rules that were tried are evaluated a second time here.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from governance.core.compiled_check import Compiled
from governance.core.json_value import Json
from governance.core.masks.marks import MARK, MARK_BEGINS, has_mark
from governance.matching.call import Call, TooMuch
from governance.matching.globs import glob_matches
from governance.matching.selectors import selector_of

PREFIX: Final = 7  # characters that the default check reads of a text
START: Final = PREFIX + len(MARK_BEGINS)  # of a text whose first characters may be a mask
_OF_PRESENCE: Final = frozenset(["exists", "empty"])
_OF_NUMBERS: Final = frozenset(["gt", "gte", "lt", "lte"])
_OF_TEXTS: Final = frozenset(
    ["contains", "contains_any", "starts_with", "ends_with", "matches", "matches_any", "length"]
)


def default_reads_mask(output: Json) -> bool:
    """Whether a mask overlaps the characters that the default check tests for an error prefix."""
    if not isinstance(output, str):
        return False
    return 0 <= output.find(MARK_BEGINS, 0, START) < PREFIX


def reads_mask(
    compiled: Compiled, tool: str, output: Json, elapsed_ms: float | None, decided_by: str
) -> bool:
    """Whether any rule up to the deciding one reads a mask."""
    call = Call(tool, output, elapsed_ms)
    try:
        for rule in compiled["rules"]:
            if not glob_matches(rule["tool"], tool):
                continue
            if any(_depends(leaf, call) for leaf in _leaves(rule["when"])):
                return True
            if decided_by in (rule["id"], f"{rule['of']}/{rule['id']}"):
                return False
    except TooMuch:
        return True
    return compiled["otherwise"] == "default" and default_reads_mask(output)


def _leaves(condition: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "select" in condition:
        yield condition
        return
    inner = [condition["not"]] if "not" in condition else condition.get("all", condition.get("any"))
    for each in inner or ():
        yield from _leaves(each)


def _depends(leaf: Mapping[str, Any], call: Call) -> bool:
    """Whether this operator could give another result for the unmasked value."""
    op, value = leaf["op"], selector_of(leaf["select"])(call)
    if op in _OF_PRESENCE:
        return False
    if op == "type" or op in _OF_NUMBERS:
        return isinstance(value, str) and _was_number(value)
    if op in _OF_TEXTS:
        return isinstance(value, str) and MARK_BEGINS in value
    return isinstance(value, str | list | dict) and has_mark(value)


def _was_number(text: str) -> bool:
    return MARK.fullmatch(text) is not None and ":number:" in text

"""Adds a rule of the built-in library to the text of a check, for one tool."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import yaml

from governance.checks.authoring.inserting import Pairs, flow, rule_ids, rules_of, with_rule
from governance.checks.domain import DEFAULT
from governance.checks.language.rules import KEYS, LONGEST_TOOL
from governance.checks.language.shipped import shipped, shipped_text
from governance.core.errors import InvalidInput
from governance.core.free_names import as_free_name

_NO_GLOB: Final = re.compile(r"[\[\]{}|,\0]")
_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_OF_ITEMS: Final = frozenset(["any_item", "every_item", "no_item", "count_items"])
LONGEST_NAME: Final = 40
_NEW: Final = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata:
  name: {name}
  description: ""
otherwise: {otherwise}
{include}rules: []
"""


def name_for(tool: str) -> str:
    """Name of a new check for one tool."""
    return _NO_NAME.sub("-", tool.lower()).strip("-")[:LONGEST_NAME].strip("-") or "tool"


def new_text(name: str, judge: str) -> str:
    """Text of a new check that behaves like this built-in check until it gets rules."""
    if judge == DEFAULT.name or shipped_text(judge) is None:
        return _NEW.format(name=flow(name), otherwise="default", include="")
    otherwise = shipped()[judge]["otherwise"]
    return _NEW.format(name=flow(name), otherwise=otherwise, include=f"include: [{judge}]\n")


def with_suggested(text: str, check: str, rule: str, tool: str) -> str:
    """Add the rule last, so that it overrules none, and for this tool only.

    Library rules that come before it and don't decide failure are added before it too. Rules that
    the text already has are not added twice.
    """
    there = [_without_id(each) for each in rules_of(text)]
    for pairs in _rules(check, rule):
        written = dict(pairs) | {"id": as_free_name(str(dict(pairs)["id"]), rule_ids(text))}
        if not _NO_GLOB.search(tool) and 0 < len(tool) <= LONGEST_TOOL:
            written["tool"] = tool
        if _without_id(written) in there:
            continue
        text = with_rule(text, [(key, written[key]) for key in KEYS if key in written]).text
    return text


def rule_text(check: str, rule: str, tool: str) -> str:
    """The rule as written into a check for this tool, with the rules it needs before it."""
    written = with_suggested(new_text(name_for(tool), DEFAULT.name), check, rule, tool)
    return written[written.index("rules:") :]


def has_suggested(text: str, check: str, rule: str, tool: str) -> bool:
    """Whether this text has the rule for this tool, unchanged or edited under its own id."""
    if any(each.get("id") == rule and each.get("tool") == tool for each in rules_of(text)):
        return True
    try:
        return with_suggested(text, check, rule, tool) == text
    except InvalidInput:  # the text can't take a rule
        return False


def _without_id(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rule.items() if key != "id"}


def _rules(check: str, rule: str) -> Sequence[Pairs]:
    document: dict[str, Any] = yaml.load(
        shipped_text(check) or "rules: []", Loader=yaml.CSafeLoader
    )
    before: list[Pairs] = []
    for each in document["rules"]:
        if each["id"] == rule:
            return [*before, list(each.items())]
        if each["verdict"] != "failure":
            before.append(list(each.items()))
    return []


@cache
def tests_items(check: str, rule: str) -> bool:
    """Whether the rule tests items of a list, rather than the list itself."""
    return any(dict(pairs)["id"] == rule and _has_item_test(pairs) for pairs in _rules(check, rule))


def _has_item_test(part: object) -> bool:
    if isinstance(part, dict):
        return not _OF_ITEMS.isdisjoint(part) or any(map(_has_item_test, part.values()))
    return isinstance(part, list | tuple) and any(map(_has_item_test, part))

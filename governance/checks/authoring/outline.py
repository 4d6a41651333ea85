"""Outline of a check: its rules in words, with their lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from governance.checks.authoring.words import condition_in_words
from governance.texts.condition_words import shortened, value_in_words
from governance.texts.notation import lines_of
from governance.texts.outline import lines_of_node
from governance.texts.plain_document import items_of, mapping, value_of


@dataclass(frozen=True, slots=True)
class OutlinedCheckRule:
    id: str
    tool: str  # a glob; empty for every tool
    says: str  # the condition in words
    verdict: str
    reason: str
    label: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class OutlinedExample:
    tool: str
    result: str
    verdict: str
    line: int


@dataclass(frozen=True, slots=True)
class OutlinedCheck:
    otherwise: str
    rules: tuple[OutlinedCheckRule, ...]
    examples: tuple[OutlinedExample, ...]

    @property
    def tools(self) -> list[str]:
        """Tools that the rules name; empty if a rule applies to every tool."""
        named = list(dict.fromkeys(rule.tool for rule in self.rules))
        return [] if "" in named else named


def outline_of_check(text: str) -> OutlinedCheck:
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    if not isinstance(root, yaml.MappingNode):
        return OutlinedCheck("", (), ())
    parts: dict[str, yaml.Node] = {str(key.value): value for key, value in root.value}
    lines = lines_of(text)
    return OutlinedCheck(
        otherwise=_text(parts.get("otherwise")),
        rules=tuple(_rule(node, text, lines) for node in items_of(parts.get("rules"))),
        examples=tuple(_example(node) for node in items_of(parts.get("examples"))),
    )


def _rule(node: yaml.Node, text: str, lines: list[str]) -> OutlinedCheckRule:
    says: Mapping[str, Any] = mapping(value_of(node))
    first, last = lines_of_node(node, text, lines)
    return OutlinedCheckRule(
        id=str(says.get("id", "")),
        tool="" if says.get("tool") in (None, "*") else str(says["tool"]),
        says=condition_in_words(says.get("when")),
        verdict=str(says.get("verdict", "")),
        reason=str(says.get("reason") or ""),
        label=str(says.get("label") or ""),
        line=first,
        end_line=last,
    )


def _example(node: yaml.Node) -> OutlinedExample:
    says = mapping(value_of(node))
    return OutlinedExample(
        tool=str(says.get("tool") or ""),
        result=shortened(value_in_words(says.get("result"))),
        verdict=str(says.get("verdict", "")),
        line=node.start_mark.line + 1 if node.start_mark else 1,
    )


def _text(node: yaml.Node | None) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""

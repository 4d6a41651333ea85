"""Outline of a contract document: its rules with their first and last lines."""

from dataclasses import dataclass
from typing import cast

import yaml

from governance.texts.document import Document
from governance.texts.notation import lines_of
from governance.texts.yaml_text import Mark

_LISTS = ("rules", "contracts")


@dataclass(frozen=True, slots=True)
class OutlinedRule:
    id: str
    type: str
    tool: str  # comma-separated for a sandbox; empty for a session rule
    line: int
    end_line: int


def outline(document: Document) -> tuple[OutlinedRule, ...]:
    """Rules of a document, even an incomplete one; missing fields are empty."""
    root = yaml.compose(document.text, Loader=yaml.CSafeLoader)
    lines = lines_of(document.text)
    rules: list[OutlinedRule] = []
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value in _LISTS and isinstance(value, yaml.SequenceNode):
            rules += [_outlined(node, document.text, lines) for node in value.value]
    return tuple(rules)


def lines_of_node(node: yaml.Node, text: str, lines: list[str]) -> tuple[int, int]:
    """First and last line of a node, from 1. Comments and blank lines above the next node belong to
    that one."""
    start, end = (cast(Mark, mark) for mark in (node.start_mark, node.end_mark))
    # A block ends where the next node begins, at the start of a line outside the block.
    begins_line = not text[: end.index].rpartition("\n")[2].strip()
    last = end.line if begins_line and end.line > start.line else end.line + 1
    last = min(last, len(lines))
    while last > start.line + 1 and lines[last - 1].lstrip()[:1] in ("", "#"):
        last -= 1
    return start.line + 1, last


def _outlined(node: yaml.Node, text: str, lines: list[str]) -> OutlinedRule:
    says = _scalars(node)
    tool = says.get("tool") or says.get("tools") or ""
    first, last = lines_of_node(node, text, lines)
    return OutlinedRule(says.get("id", ""), says.get("type", ""), tool, first, last)


def _scalars(node: yaml.Node) -> dict[str, str]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: _text(value) for key, value in node.value}


def _text(node: yaml.Node) -> str:
    if isinstance(node, yaml.SequenceNode):
        return ", ".join(item.value for item in node.value if isinstance(item, yaml.ScalarNode))
    return node.value if isinstance(node, yaml.ScalarNode) else ""

"""The rules of a contract document with the lines on which each begins and ends."""

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
    tool: str  # several of a sandbox with commas between; empty of a session rule
    line: int
    end_line: int


def outline(document: Document) -> tuple[OutlinedRule, ...]:
    """Rules of a document, also of a half-written one; missing fields are empty."""
    root = yaml.compose(document.text, Loader=yaml.CSafeLoader)
    lines = lines_of(document.text)
    rules: list[OutlinedRule] = []
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value in _LISTS and isinstance(value, yaml.SequenceNode):
            rules += [_outlined(node, document.text, lines) for node in value.value]
    return tuple(rules)


def lines_of_node(node: yaml.Node, text: str, lines: list[str]) -> tuple[int, int]:
    """The first and the last, from 1; comments and blank lines above the next thing belong to
    that."""
    start, end = (cast(Mark, mark) for mark in (node.start_mark, node.end_mark))
    # A block ends where the next thing begins, at the start of a line that is no more its own.
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

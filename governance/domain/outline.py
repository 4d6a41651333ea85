"""The rules of a contract document with the lines on which each begins and ends."""

from dataclasses import dataclass
from typing import cast

import yaml

from governance.domain.document import Document
from governance.domain.yaml_text import Mark

_LISTS = ("rules", "contracts")


@dataclass(frozen=True, slots=True)
class OutlinedRule:
    id: str
    type: str
    tool: str  # several of a sandbox with commas between; empty of a session rule
    line: int
    end_line: int


def outline(document: Document) -> tuple[OutlinedRule, ...]:
    """Of a half-written document too: what a rule does not say is empty."""
    root = yaml.compose(document.text, Loader=yaml.CSafeLoader)
    found: list[OutlinedRule] = []
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value in _LISTS and isinstance(value, yaml.SequenceNode):
            found += [_outlined(node, document.text) for node in value.value]
    lines = [*_lines(document.text)]
    return tuple(_without_blank_end(rule, lines) for rule in found)


def _outlined(node: yaml.Node, text: str) -> OutlinedRule:
    says = _scalars(node)
    start, end = (cast(Mark, mark) for mark in (node.start_mark, node.end_mark))
    # A block ends where the next thing begins, at the start of a line that is no more its own.
    begins_line = not text[: end.index].rpartition("\n")[2].strip()
    last = end.line if begins_line and end.line > start.line else end.line + 1
    tool = says.get("tool") or says.get("tools") or ""
    return OutlinedRule(says.get("id", ""), says.get("type", ""), tool, start.line + 1, last)


def _scalars(node: yaml.Node) -> dict[str, str]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: _text(value) for key, value in node.value}


def _text(node: yaml.Node) -> str:
    if isinstance(node, yaml.SequenceNode):
        return ", ".join(item.value for item in node.value if isinstance(item, yaml.ScalarNode))
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _without_blank_end(rule: OutlinedRule, lines: list[str]) -> OutlinedRule:
    """Comments and blank lines above the next rule belong to that."""
    end = min(rule.end_line, len(lines))
    while end > rule.line and lines[end - 1].lstrip()[:1] in ("", "#"):
        end -= 1
    return OutlinedRule(rule.id, rule.type, rule.tool, rule.line, end)

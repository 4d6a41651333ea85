"""Inserts a rule or an example into the text of a check without reformatting the rest."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

import yaml

from governance.checks.language.text import MAX_BYTES
from governance.checks.language.tree import tree_of
from governance.core.errors import DocumentInvalid, InvalidInput, Problem
from governance.core.json_value import Json
from governance.texts.lint_finding import is_plain
from governance.texts.notation import lines_of
from governance.texts.outline import lines_of_node
from governance.texts.plain_document import items_of, mapping, value_of
from governance.texts.source_text import decoded

# Characters that YAML parsers reject unescaped, or read as a line break.
_ESCAPED: Final = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def flow(value: Json, *, as_json: bool = False) -> str:
    match value:
        case dict():
            pairs = (
                f"{_text(key, as_json=as_json)}: {flow(inner, as_json=as_json)}"
                for key, inner in value.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case list():
            return "[" + ", ".join(flow(inner, as_json=as_json) for inner in value) + "]"
        case str():
            return _text(value, as_json=as_json)
        case _:
            return json.dumps(value)


def _text(text: str, *, as_json: bool) -> str:
    if not as_json and is_plain(text):
        return text
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


EXAMPLES: Final = "examples"
RULES: Final = "rules"
_WIDE: Final = 100  # characters per line; longer items are written one key per line
_NOT_YET: Final = "The text is not a valid check. Fix it first."

Pairs = Sequence[tuple[str, Json]]  # an item as keys and values, in the order they are written


class Inserted(NamedTuple):
    text: str
    line: int  # first line of the new item


def with_example(
    text: str, *, tool: str, result: Json, verdict: str, elapsed_ms: float | None = None
) -> Inserted:
    pairs: list[tuple[str, Json]] = [("tool", tool)] if tool else []
    pairs.append(("result", result))
    if elapsed_ms is not None:
        pairs.append(("elapsed_ms", elapsed_ms))
    return _with(text, EXAMPLES, [*pairs, ("verdict", verdict)])


def with_rule(text: str, rule: Pairs, *, before: str = "") -> Inserted:
    """Insert a rule last, or before the rule with this id, which would otherwise decide first."""
    return _with(text, RULES, rule, before=before)


def rule_ids(text: str) -> list[str]:
    """Ids of the rules of a text; empty if it can't be parsed."""
    try:
        root = _root(text)
    except InvalidInput:
        return []
    return [_id_of(item) for item in items_of(_value(root, RULES))]


def rules_of(text: str) -> list[dict[str, Any]]:
    """Rules of a text as values; empty if it can't be parsed."""
    try:
        root = _root(text)
    except InvalidInput:
        return []
    return [mapping(value_of(item)) for item in items_of(_value(root, RULES))]


def _with(text: str, key: str, pairs: Pairs, *, before: str = "") -> Inserted:
    root = _root(text)
    inserted = _inserted(text, root, key, pairs, before)
    try:
        tree_of(inserted.text)
    except DocumentInvalid as refused:
        problem = Problem(message=str(refused.errors[0].message))
        raise InvalidInput("This cannot be inserted into the text.", errors=[problem]) from refused
    return inserted


def _inserted(text: str, root: yaml.MappingNode, key: str, pairs: Pairs, before: str) -> Inserted:
    value = _value(root, key)
    if root.flow_style:
        return _into_flow(text, root, value, key, pairs)
    if value is None:
        return _under_new_key(text, root, key, pairs)
    if not isinstance(value, yaml.SequenceNode):
        if not isinstance(value, yaml.ScalarNode) or value.value:
            raise InvalidInput(f"`{key}` is not a list. Fix that first.")
        return _at_line(text, _line(value) + 1, _block(pairs, "  "))
    if value.flow_style:
        if value.value:
            return _at_end_of_flow(text, value, flow(dict(pairs)))
        start, end = _span(value)
        text = text[:start].rstrip(" ") + text[end:]
        return _at_line(text, _line(value) + 1, _block(pairs, "  "))
    lines = lines_of(text)
    items = items_of(value)
    indent = " " * _column(value)
    chosen = next((item for item in items if before and _id_of(item) == before), None)
    if chosen is not None:
        return _at_line(text, _line(chosen), _block(pairs, indent))
    return _at_line(text, lines_of_node(items[-1], text, lines)[1] + 1, _block(pairs, indent))


def _under_new_key(text: str, root: yaml.MappingNode, key: str, pairs: Pairs) -> Inserted:
    """Add the key at the end, but `rules` before `examples`."""
    written = [f"{key}:", *_block(pairs, "  ")]
    examples = next((name for name, _ in root.value if name.value == EXAMPLES), None)
    if key == RULES and examples is not None:
        at = _line(examples)
    else:
        last = root.value[-1][1] if root.value else root
        at = lines_of_node(last, text, lines_of(text))[1] + 1
    inserted = _at_line(text, at, written)
    return Inserted(inserted.text, inserted.line + 1)


def _into_flow(
    text: str, root: yaml.MappingNode, value: yaml.Node | None, key: str, pairs: Pairs
) -> Inserted:
    """Insert into a document written as JSON."""
    item = flow(dict(pairs), as_json=True)
    if value is None:
        return _at_end_of_flow(text, root, f'"{key}": [{item}]')
    if not isinstance(value, yaml.SequenceNode):
        raise InvalidInput(f"`{key}` is not a list. Fix that first.")
    return _at_end_of_flow(text, value, item)


def _at_end_of_flow(text: str, node: yaml.Node, item: str) -> Inserted:
    end = _span(node)[1] - 1
    head = text[:end].rstrip()
    comma = "" if head.endswith((",", "[", "{")) else ","
    gap = text[len(head) : end] or ("" if head.endswith(("[", "{")) else " ")
    lead = gap if "\n" in gap else gap[:1]
    tail = gap if "\n" in gap else ""
    written = head + comma + lead + item + tail + text[end:]
    return Inserted(written, (head + comma + lead).count("\n") + 1)


def _at_line(text: str, line: int, new: list[str]) -> Inserted:
    """Insert lines before this line; lines count from 1."""
    lines = text.split("\n")
    if line > len(lines) or (line == len(lines) and not lines[-1].strip()):
        while lines and not lines[-1].strip():
            lines.pop()
        line = len(lines) + 1
        return Inserted("\n".join([*lines, *new, ""]), line)
    return Inserted("\n".join([*lines[: line - 1], *new, *lines[line - 1 :]]), line)


def _block(pairs: Pairs, indent: str) -> list[str]:
    """Lines of an item: an example on one line if it fits, anything else one key per line."""
    one = f"{indent}- {flow(dict(pairs))}"
    if pairs[0][0] != "id" and len(one) <= _WIDE:
        return [one]
    leads = [f"{indent}- ", *[f"{indent}  "] * (len(pairs) - 1)]
    return [f"{lead}{key}: {flow(value)}" for lead, (key, value) in zip(leads, pairs, strict=True)]


def _root(text: str) -> yaml.MappingNode:
    try:
        tree_of(decoded(text, at_most=MAX_BYTES))  # rejects aliases, which must not be composed
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except DocumentInvalid as refused:
        raise InvalidInput(_NOT_YET, errors=refused.errors) from refused
    if not isinstance(root, yaml.MappingNode):
        raise InvalidInput(_NOT_YET)
    return root


def _value(root: yaml.MappingNode, key: str) -> yaml.Node | None:
    return next((value for name, value in root.value if name.value == key), None)


def _id_of(item: yaml.Node) -> str:
    node = _value(item, "id") if isinstance(item, yaml.MappingNode) else None
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _line(node: yaml.Node) -> int:
    return cast(int, node.start_mark.line) + 1


def _column(node: yaml.Node) -> int:
    return cast(int, node.start_mark.column)


def _span(node: yaml.Node) -> tuple[int, int]:
    return cast(int, node.start_mark.index), cast(int, node.end_mark.index)

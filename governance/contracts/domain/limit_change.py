"""Changes one session limit in a contract's text without reformatting the rest."""

from dataclasses import dataclass, field
from typing import Final

import yaml

from governance.contracts.domain.grammar import KEYS
from governance.core.errors import InvalidInput
from governance.texts.yaml_text import Place, places

PER_TOOL: Final = "max_calls_per_tool"
NAMES: Final = tuple(name for name in KEYS["rules/*/limits"] if name != PER_TOOL)
MOST: Final = 10_000
_LISTS: Final = ("rules", "contracts")
_MESSAGE: Final = "This session reached its limit."


@dataclass(slots=True)
class _Rule:
    """One rule of the text."""

    item: Place
    words: dict[str, str] = field(default_factory=dict)  # values of its `type` and `enabled`
    limits: Place | None = None
    first_limit: Place | None = None  # the first key under `limits`
    values: list[Place] = field(default_factory=list)  # of the limit to change

    @property
    def counts(self) -> bool:
        return self.words.get("type") == "session" and self.words.get("enabled") != "false"


def with_limit(text: str, name: str, value: int) -> str:
    """Set a limit in the session rules that have it, else in the first session rule, else in a new
    rule. For calls of one tool, `name` is the limit's name followed by `:tool`."""
    if not 1 <= value <= MOST:
        raise InvalidInput.at("value", f"Enter a limit from 1 to {MOST:,}.")
    path = tuple(name.split(":", 1))
    if path[0] not in NAMES and (path[0] != PER_TOOL or len(path) != 2):
        raise InvalidInput.at("limit", "Choose one of the limits in the list.")
    rules = [rule for rule in _rules(text, path) if rule.counts]
    if values := [place for rule in rules for place in rule.values]:
        return _replaced(text, values, str(value))
    if len(path) == 2:
        raise InvalidInput.at("limit", f"This version has no limit on calls of `{path[1]}`.")
    limits = next((rule for rule in rules if rule.limits is not None), None)
    if limits is not None:
        return _inserted(text, limits, f"{name}: {value}")
    return _with_rule(text, name, value)


def _rules(text: str, limit: tuple[str, ...]) -> list[_Rule]:
    rules: list[_Rule] = []
    for place in places(text):
        path = place.path
        if len(path) < 2 or path[0] not in _LISTS or not isinstance(path[1], int):
            continue
        if len(path) == 2:
            rules.append(_Rule(place))
        rule, inside = rules[-1], path[2:]
        if inside in (("type",), ("enabled",)) and not place.is_key:
            rule.words[str(inside[0])] = str(getattr(place.event, "value", ""))
        elif inside == ("limits",) and not place.is_key:
            rule.limits = place
        elif inside[:1] == ("limits",) and len(inside) == 2 and place.is_key:
            rule.first_limit = rule.first_limit or place
        if inside == ("limits", *limit) and not place.is_key:
            rule.values.append(place)
    return rules


def _replaced(text: str, values: list[Place], new: str) -> str:
    for place in reversed(values):
        text = text[: place.start.index] + new + text[place.end.index :]
    return text


def _inserted(text: str, rule: _Rule, line: str) -> str:
    """Insert the line before the first limit, on its own line or inside the same braces."""
    limits, first = rule.limits, rule.first_limit
    if limits is None or first is None:
        raise InvalidInput("This version has a session rule without limits. Edit it instead.")
    at = first.start.index
    is_flow = bool(getattr(limits.event, "flow_style", False))
    between = ", " if is_flow else _line_end(text) + " " * first.start.column
    return text[:at] + line + between + text[at:]


def _with_rule(text: str, name: str, value: int) -> str:
    """Insert a new rule before the first one."""
    item = next((place for place in places(text) if _is_item(place)), None)
    if item is None:
        raise InvalidInput("This version has no rules. Edit it instead.")
    is_old = item.path[0] == "contracts"
    then = f"{{{'effect: deny' if is_old else 'action: block'}, message: {_MESSAGE}}}"
    rule_id = f"limit-{name.replace('_', '-')}"
    parts = (f"id: {rule_id}", "type: session", f"limits: {{{name}: {value}}}", f"then: {then}")
    at = item.start.index
    dash = text.rfind("\n", 0, at) + 1
    before = text[dash:at]
    if before.strip() != "-":  # a flow-style list
        return f"{text[:at]}{{{', '.join(parts)}}}, {text[at:]}"
    indent = " " * len(before)
    lines = _line_end(text).join(
        [f"{before}{parts[0]}", *(f"{indent}{each}" for each in parts[1:])]
    )
    return f"{text[:dash]}{lines}{_line_end(text)}{text[dash:]}"


def _is_item(place: Place) -> bool:
    path = place.path
    is_item = len(path) == 2 and path[0] in _LISTS and path[1] == 0
    return is_item and isinstance(place.event, yaml.MappingStartEvent)


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"

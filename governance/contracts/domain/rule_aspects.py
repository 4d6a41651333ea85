"""Aspects of a contract rule, as comparable values and in words.

They don't depend on the rule's layout and format, nor on whether it spells out a default.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from governance.core.figures import duration
from governance.texts.condition_words import (
    canonical,
    condition_in_words,
    shortened,
    value_in_words,
)
from governance.texts.document import Document
from governance.texts.plain_document import (
    action_of,
    mapping,
    rules_in,
    texts_in,
    tools_of,
    values_of,
)

ACTIONS: Mapping[str, str] = {
    "block": "denies",
    "ask": "asks",
    "warn": "warns",
    "redact": "redacts",
    "allow": "allows",
}
WAITS = 300  # seconds to wait for an approval if the rule sets no timeout
_NO_LIMIT = "no limit"
_LISTS = {
    "within": "within",
    "not_within": "not within",
    "allows.commands": "allowed commands",
    "allows.domains": "allowed domains",
    "not_allows.domains": "domains not allowed",
}


@dataclass(frozen=True, slots=True)
class Aspect:
    value: str  # equal for equal meanings
    words: str
    without: str = "nothing"  # what applies if the aspect is absent
    items: tuple[str, ...] | None = None  # for a list whose order doesn't matter


def rule_id(rule: Mapping[str, Any], place: int) -> str:
    named = rule.get("id")
    return named if isinstance(named, str) else f"rule {place + 1}"


def mode_of(rule: Mapping[str, Any], default: str) -> str:
    return str(rule.get("mode", default))


def aspects_of(rule: Mapping[str, Any], default_mode: str) -> dict[str, Aspect]:
    """Aspects of a rule by the name used for differences, without its condition."""
    return dict(_aspects(rule, default_mode))


def rule_in_words(rule: Mapping[str, Any], default_mode: str) -> str:
    """Description such as "pre, `charge`: asks (5 min, then denies) when `args.amount` > 500"."""
    parts = [_doing(rule)]
    if rule.get("type") != "session" and mode_of(rule, default_mode) == "observe":
        parts.append("only observed")
    if rule.get("enabled") is False:
        parts.append("switched off")
    tools = ", ".join(f"`{tool}`" for tool in tools_of(rule))
    kind = str(rule.get("type", "no type"))
    return shortened(f"{kind}{', ' if tools else ''}{tools}: {'; '.join(parts)}")


def rules_in_words(document: Document) -> dict[str, str]:
    """Description of each rule, by id."""
    values = values_of(document)
    mode = str(mapping(values.get("defaults")).get("mode", "enforce"))
    words: dict[str, str] = {}
    for place, rule in enumerate(rules_in(values)):
        words.setdefault(rule_id(rule, place), rule_in_words(rule, mode))
    return words


def _doing(rule: Mapping[str, Any]) -> str:
    action = ACTIONS.get(action_of(rule), action_of(rule) or "does nothing")
    then = _then(rule)
    if action_of(rule) == "ask":
        after = ACTIONS.get(str(then.get("timeout_action", "block")), "denies")
        action += f" ({_time_in_words(then)}, then {after})"
    if rule.get("type") == "session":
        limits = [_limit_in_words(name, aspect) for name, aspect in _limits(rule)]
        return f"{action} above {', '.join(limits) or 'nothing'}"
    if rule.get("type") == "sandbox":
        lists = [f"{name} {aspect.words}" for name, aspect in _sandbox(rule)]
        return f"{action} what is not {' and '.join(lists) or 'anywhere'}"
    return f"{action} when {condition_in_words(rule.get('when'))}"


def _time_in_words(then: Mapping[str, Any]) -> str:
    """Time limit of an approval, such as "3 d"."""
    seconds = then.get("timeout", WAITS)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return value_in_words(seconds)
    return duration(seconds * 1_000)


def _limit_in_words(name: str, aspect: Aspect) -> str:
    number = aspect.words.split()[0]
    return f"{number} {name.replace('calls', 'call', 1) if number == '1' else name}"


def _aspects(rule: Mapping[str, Any], default_mode: str) -> Iterator[tuple[str, Aspect]]:
    yield "type", _text(str(rule.get("type", "")))
    yield "switched", _text("off" if rule.get("enabled") is False else "on")
    yield "mode", _text(mode_of(rule, default_mode))
    yield "tool", _list(tools_of(rule))
    yield from _limits(rule)
    yield from _sandbox(rule)
    action, then = action_of(rule), _then(rule)
    yield "action", _text(ACTIONS.get(action, action))
    if action == "ask":
        waits = value_in_words(then.get("timeout", WAITS))
        yield "time to answer", Aspect(waits, _time_in_words(then))
        after = str(then.get("timeout_action", "block"))
        yield "without an answer", _text(ACTIONS.get(after, after))
    yield "message", _text(str(then.get("message", "")))
    yield "tags", _list(texts_in(then.get("tags")))
    for name, value in mapping(then.get("metadata")).items():
        yield f"metadata `{name}`", Aspect(canonical(value), shortened(value_in_words(value)))


def _then(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    # A sandbox has these keys itself, other rules under `then`.
    return rule if rule.get("type") == "sandbox" else mapping(rule.get("then"))


def _limits(rule: Mapping[str, Any]) -> Iterator[tuple[str, Aspect]]:
    limits = mapping(rule.get("limits"))
    for name in ("max_attempts", "max_tool_calls"):
        if name in limits:
            words = value_in_words(limits[name])
            yield f"`{name}`", Aspect(canonical(limits[name]), words, _NO_LIMIT)
    for tool, value in mapping(limits.get("max_calls_per_tool")).items():
        words = f"{value_in_words(value)} per session"
        yield f"calls of `{tool}`", Aspect(canonical(value), words, _NO_LIMIT)


def _sandbox(rule: Mapping[str, Any]) -> Iterator[tuple[str, Aspect]]:
    for path, name in _LISTS.items():
        above, _, key = path.rpartition(".")
        listed = texts_in((mapping(rule.get(above)) if above else rule).get(key))
        if listed:
            yield name, _list(listed)


def _text(text: str) -> Aspect:
    return Aspect(text, shortened(text) or "nothing")


def _list(items: list[str]) -> Aspect:
    once = tuple(dict.fromkeys(items))
    words = ", ".join(f"`{item}`" for item in once)
    return Aspect(canonical(sorted(once)), shortened(words) or "nothing", items=once)

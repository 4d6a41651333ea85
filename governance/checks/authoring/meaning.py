"""Semantic differences between two texts of a check, ignoring format and comments."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from governance.checks.authoring.words import condition_in_words
from governance.contracts.domain.rule_aspects import rule_id
from governance.contracts.domain.rule_order import moved
from governance.texts.changes import DOCUMENT, Change
from governance.texts.condition_changes import condition_changes
from governance.texts.condition_words import canonical, shortened
from governance.texts.plain_document import mapping, rules_in, value_of

_METADATA: Final = ("name", "description")
_DEFAULTS: Final = {"tool": "every tool", "verdict": "none", "reason": "none", "label": "none"}
Values = Mapping[str, Any]
Rules = dict[str, dict[str, Any]]


def check_changes(before: str, after: str) -> tuple[Change, ...] | None:
    """Changes in the order of the later text, removals last. Empty if the meaning is the same, None
    if a text can't be parsed."""
    try:
        return tuple(_changes(_read(before), _read(after)))
    except yaml.YAMLError:
        return None


def _read(text: str) -> Values:
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    return mapping(value_of(root)) if root is not None else {}


def _changes(old: Values, new: Values) -> Iterator[Change]:
    yield from _document_changes(old, new)
    was, now = _rules(old), _rules(new)
    renamed = _renamed(was, now)
    for name, rule in now.items():
        if name in was:
            yield from _rule_changes(name, was[name], rule)
        elif name in renamed:
            yield Change("changed", name, "id", f"`{renamed[name]}`", f"`{name}`")
        else:
            yield Change("added", name, rule_in_words(rule))
    stays = [name for name in was if name in now]
    rules = {name: _with_tool(rule) for name, rule in now.items()}
    for each in moved(stays, [name for name in now if name in was], rules):
        yield Change("changed", each.rule, "place", each.before, each.after)
    for name, rule in was.items():
        if name not in now and name not in renamed.values():
            yield Change("removed", name, rule_in_words(rule))


def rule_in_words(rule: Values) -> str:
    """Description such as "`http_*`: failure when `result.status` ≥ 400, labelled partial"."""
    label = f", labelled {rule['label']}" if rule.get("label") else ""
    verdict = f"{_aspect_words(rule, 'verdict')} when {condition_in_words(rule.get('when'))}{label}"
    return shortened(f"{_aspect_words(rule, 'tool')}: {verdict}")


def _rules(values: Values) -> Rules:
    rules: Rules = {}
    for place, rule in enumerate(rules_in(values)):
        rules.setdefault(rule_id(rule, place), rule)
    return rules


def _with_tool(rule: dict[str, Any]) -> dict[str, Any]:
    return rule if isinstance(rule.get("tool"), str) else rule | {"tool": "*"}


def _renamed(was: Rules, now: Rules) -> dict[str, str]:
    """New id to old id of rules in which only the id differs."""
    gone = {_form(rule): name for name, rule in was.items() if name not in now}
    come = {name: _form(rule) for name, rule in now.items() if name not in was}
    return {name: gone.pop(form) for name, form in come.items() if form in gone}


def _form(rule: Values) -> str:
    return canonical({key: value for key, value in rule.items() if key != "id"})


def _rule_changes(name: str, old: Values, new: Values) -> Iterator[Change]:
    for what in _DEFAULTS:
        if _aspect_words(old, what) != _aspect_words(new, what):
            yield Change("changed", name, what, _aspect_words(old, what), _aspect_words(new, what))
    differing = condition_changes(
        old.get("when"), new.get("when"), in_words=condition_in_words, order_counts=False
    )
    for aspect, was, now in differing:
        yield Change("changed", name, aspect, was, now)


def _aspect_words(rule: Values, what: str) -> str:
    value = rule.get(what)
    if value in (None, "") or (what == "tool" and value == "*"):
        return _DEFAULTS[what]
    return f"`{value}`" if what == "tool" else shortened(str(value))


def _document_changes(old: Values, new: Values) -> Iterator[Change]:
    for what in _METADATA:
        was, now = (mapping(each.get("metadata")).get(what) or "" for each in (old, new))
        if was != now:
            yield _changed(what, was, now)
    if old.get("otherwise") != new.get("otherwise"):
        yield _changed("when no rule matches", old.get("otherwise"), new.get("otherwise"))
    was, now = (_names(each.get("include")) for each in (old, new))
    if was != now:
        yield _changed("includes, in this order", was, now)
    was, now = (_listed(each.get("examples")) for each in (old, new))
    if sorted(was) != sorted(now):
        yield _examples(set(was), set(now))


def _changed(what: str, was: object, now: object) -> Change:
    before, after = (shortened(str(each)) if each else "nothing" for each in (was, now))
    return Change("changed", DOCUMENT, what, before, after)


def _names(include: object) -> str:
    return ", ".join(f"`{name}`" for name in include) if isinstance(include, list) else ""


def _listed(examples: object) -> list[str]:
    return [canonical(each) for each in examples] if isinstance(examples, list) else []


def _examples(was: set[str], now: set[str]) -> Change:
    parts = [
        f"{number} {verb}"
        for number, verb in ((len(now - was), "added"), (len(was - now), "removed"))
        if number
    ]
    return Change("changed", DOCUMENT, f"its examples: {', '.join(parts) or 'one twice'}")

"""Semantic differences between two contracts, whatever their layout and format."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from governance.contracts.domain.rule_aspects import Aspect, aspects_of, rule_id, rule_in_words
from governance.contracts.domain.rule_order import moved_rules
from governance.texts.changes import DOCUMENT, Change
from governance.texts.condition_changes import condition_changes
from governance.texts.condition_words import canonical, shortened, value_in_words
from governance.texts.document import Document
from governance.texts.plain_document import mapping, rules_in, values_of


@dataclass(frozen=True, slots=True)
class _Read:
    values: Mapping[str, Any]
    mode: str
    rules: Mapping[str, dict[str, Any]]


def changes(before: Document | None, after: Document) -> tuple[Change, ...]:
    """Changes in the order of the later document, removals last; empty for the same meaning."""
    new = _read(after)
    if before is None:
        return tuple(_added(name, rule, new) for name, rule in new.rules.items())
    return tuple(_changes(_read(before), new))


def _read(document: Document) -> _Read:
    values = values_of(document)
    mode = str(mapping(values.get("defaults")).get("mode", "enforce"))
    rules: dict[str, dict[str, Any]] = {}
    for place, rule in enumerate(rules_in(values)):
        rules.setdefault(rule_id(rule, place), rule)
    return _Read(values, mode, rules)


def _changes(old: _Read, new: _Read) -> Iterator[Change]:
    yield from _document_changes(old.values, new.values)
    renamed = _renamed(old, new)
    for name, rule in new.rules.items():
        if name in old.rules:
            yield from _rule_changes(name, old.rules[name], rule, old.mode, new.mode)
        elif name in renamed:
            yield Change("changed", name, "id", f"`{renamed[name]}`", f"`{name}`")
        else:
            yield _added(name, rule, new)
    for moved in moved_rules(old.rules, new.rules):
        yield Change("changed", moved.rule, "place", moved.before, moved.after)
    for name, rule in old.rules.items():
        if name not in new.rules and name not in renamed.values():
            yield Change("removed", name, rule_in_words(rule, old.mode))


def _added(name: str, rule: dict[str, Any], read: _Read) -> Change:
    return Change("added", name, rule_in_words(rule, read.mode))


def _renamed(old: _Read, new: _Read) -> dict[str, str]:
    """New id to old id of rules in which only the id differs."""
    gone = {
        _form(rule, old.mode): name for name, rule in old.rules.items() if name not in new.rules
    }
    come = {
        name: _form(rule, new.mode) for name, rule in new.rules.items() if name not in old.rules
    }
    return {name: gone.pop(form) for name, form in come.items() if form in gone}


def _form(rule: dict[str, Any], mode: str) -> str:
    values = {key: value for key, value in rule.items() if key != "id"}
    return canonical(values | {"mode": rule.get("mode", mode)})


def _rule_changes(
    name: str, old: dict[str, Any], new: dict[str, Any], old_mode: str, new_mode: str
) -> Iterator[Change]:
    before, after = aspects_of(old, old_mode), aspects_of(new, new_mode)
    if "mode" not in old and "mode" not in new:
        # Both follow the document's mode, whose change is reported once for all rules.
        before.pop("mode"), after.pop("mode")
    yield from _aspect_changes(name, before, after)
    for what, was, now in condition_changes(old.get("when"), new.get("when")):
        yield Change("changed", name, what, was, now)


def _aspect_changes(
    name: str, before: Mapping[str, Aspect], after: Mapping[str, Aspect]
) -> Iterator[Change]:
    for what in {**before, **after}:
        old, new = before.get(what), after.get(what)
        if old and new and old.value == new.value:
            continue
        if (
            old
            and new
            and old.items
            and new.items
            and (words := _items(what, old.items, new.items))
        ):
            yield Change("changed", name, words)
            continue
        was = old.words if old else new.without if new else ""
        now = new.words if new else old.without if old else ""
        yield Change("changed", name, what, was, now)


def _items(what: str, old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Summary such as "2 tools added: `a`, `b`"; empty if more items changed than stayed."""
    added = [item for item in new if item not in set(old)]
    gone = [item for item in old if item not in set(new)]
    if len(added) + len(gone) > len(new) and added and gone:
        return ""
    parts = [
        f"{_counted(len(part), what)} {verb}: {', '.join(f'`{item}`' for item in part)}"
        for part, verb in ((added, "added"), (gone, "removed"))
        if part
    ]
    return shortened("; ".join(parts))


def _counted(number: int, what: str) -> str:
    noun = {"tool": "tool", "tags": "tag"}.get(what, f"value of `{what}`")
    if number > 1:
        noun = noun.replace("value", "values") if noun.startswith("value") else f"{noun}s"
    return f"{number} {noun}"


def _document_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    before, after = dict(_flat(old)), dict(_flat(new))
    for what in {**before, **after}:
        was, now = before.get(what), after.get(what)
        if canonical(was) != canonical(now):
            yield Change("changed", DOCUMENT, what, _shown(was), _shown(now))


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    metadata = mapping(values.get("metadata"))
    yield "name", metadata.get("name")
    yield "description", metadata.get("description")
    yield "mode", mapping(values.get("defaults")).get("mode")
    yield "`observe_alongside`", values.get("observe_alongside") or None
    for tool, settings in mapping(values.get("tools")).items():
        kind = mapping(settings).get("side_effect")
        yield f"side effect of `{tool}`", kind
        yield f"`{tool}` is idempotent", mapping(settings).get("idempotent") or None
    yield from _leaves("observability", values.get("observability"))


def _leaves(path: str, value: object) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(f"{path}.{key}", item)
    else:
        yield f"`{path}`", value


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    return shortened(value if isinstance(value, str) else value_in_words(value))

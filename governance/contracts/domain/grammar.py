"""Completions at each path of a contract, in either format, for the editor.

Only the library decides what is valid; a test keeps these tables equal to its schema. A path is the
keys above, with `*` for any list item and any name: `rules/*/then`.
"""

from collections.abc import Mapping

from governance.texts.dialect import Dialect, Path, swap_key, swap_value

Words = Mapping[str, tuple[str, ...]]

_OF_EVERY_RULE = ("id", "type", "enabled", "mode")
_OF_KINDS = ("tool", "tools", "when", "limits", "within", "not_within", "allows", "not_allows")
_OF_SANDBOXES = ("outside", "message", "timeout", "timeout_action")
KEYS: Words = {
    "": (
        *("apiVersion", "kind", "metadata", "defaults", "tools", "observability"),
        *("observe_alongside", "rules"),
    ),
    "metadata": ("name", "description"),
    "defaults": ("mode",),
    "tools/*": ("side_effect", "idempotent"),
    "observability": ("otel", "stdout", "file"),
    "rules/*": (*_OF_EVERY_RULE, *_OF_KINDS, "then", *_OF_SANDBOXES),
    "rules/*/then": ("action", "message", "tags", "metadata", "timeout", "timeout_action"),
    "rules/*/limits": ("max_tool_calls", "max_attempts", "max_calls_per_tool"),
    "rules/*/allows": ("commands", "domains"),
    "rules/*/not_allows": ("domains",),
}
_TRUTH = ("true", "false")
VALUES: Words = {
    "apiVersion": ("edictum/v1",),
    "kind": ("Ruleset",),
    "defaults/mode": ("enforce", "observe"),
    "observe_alongside": _TRUTH,
    "tools/*/side_effect": ("pure", "read", "write", "irreversible"),
    "tools/*/idempotent": _TRUTH,
    "rules/*/type": ("pre", "post", "session", "sandbox"),
    "rules/*/enabled": _TRUTH,
    "rules/*/mode": ("enforce", "observe"),
    "rules/*/outside": ("block", "ask"),
    "rules/*/timeout_action": ("block", "allow"),
    "rules/*/then/action": ("block", "ask", "warn", "redact"),
    "rules/*/then/timeout_action": ("block", "allow"),
}
OPERATORS = (
    *("exists", "equals", "not_equals", "in", "not_in", "contains", "contains_any"),
    *("starts_with", "ends_with", "matches", "matches_any", "gt", "gte", "lt", "lte"),
)
SELECTORS = (
    *("environment", "tool.name", "output.text", "principal.user_id", "principal.service_id"),
    *("principal.org_id", "principal.role", "principal.ticket_ref"),
)
CONDITIONS = ("all", "any", "not")
OPERANDS: Words = {"exists": _TRUTH}  # for operators with a fixed set of operands


def keys_in(dialect: Dialect) -> dict[str, list[str]]:
    return {
        _place(place, dialect): [_key(place, word, dialect) for word in words]
        for place, words in KEYS.items()
    }


def values_in(dialect: Dialect) -> dict[str, list[str]]:
    return {
        _place(place, dialect): [_value(place, word, dialect) for word in words]
        for place, words in VALUES.items()
    }


def _place(place: str, dialect: Dialect) -> str:
    steps = place.split("/") if place else []
    above = ["/".join(steps[:depth]) for depth in range(len(steps))]
    return "/".join(_key(there, step, dialect) for there, step in zip(above, steps, strict=True))


def _key(place: str, word: str, dialect: Dialect) -> str:
    return swap_key(_path(place), word) if dialect is Dialect.OLD else word


def _value(place: str, word: str, dialect: Dialect) -> str:
    return swap_value(_path(place), word) if dialect is Dialect.OLD else word


def _path(place: str) -> Path:
    return tuple(0 if step == "*" else step for step in place.split("/")) if place else ()


CONTRACT_WORDS = frozenset(
    {"null"}.union(*(words for each in Dialect for words in values_in(each).values()))
)

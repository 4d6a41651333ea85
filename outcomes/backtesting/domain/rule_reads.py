"""Fields that a contract's rules read, and those that a stored call lacks.

Agents mask secrets and truncate long arguments before they report a call, don't report most
outputs, and can read their own environment variables. A rule that reads such a field is replayed on
the stored data, and the result says so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from governance.core.json_value import Json
from outcomes.calls.domain import is_as_sent

_OPERATES: Final = frozenset({"all", "any", "not"})
OUTPUT: Final = "output"
ARGUMENTS: Final = "arguments"
NOT_HERE: Final = ("env.", "metadata.")


@dataclass(frozen=True, slots=True)
class RuleReads:
    id: str
    type: str
    tools: tuple[str, ...]
    arguments: frozenset[str] = frozenset()  # top-level names
    all_arguments: bool = False
    principal: frozenset[str] = frozenset()
    not_here: tuple[str, ...] = ()  # selectors whose values are never reported

    def is_about(self, tool: str) -> bool:
        return any(fnmatchcase(tool, pattern) for pattern in self.tools)


@dataclass(frozen=True, slots=True)
class ToolReads:
    """Fields that the rules about one tool read."""

    rules: tuple[RuleReads, ...] = ()
    arguments: frozenset[str] = frozenset()
    all_arguments: bool = False
    principal: frozenset[str] = frozenset()
    output: bool = False

    @property
    def any_arguments(self) -> bool:
        return self.all_arguments or bool(self.arguments)


def reads_of(rules: Sequence[Mapping[str, Any]]) -> tuple[RuleReads, ...]:
    """Fields read by each rule of a contract in the new format, without session rules, which read
    no call."""
    return tuple(
        _reads(rule)
        for rule in rules
        if rule.get("type") != "session" and rule.get("enabled", True) is not False
    )


def reads_about(rules: tuple[RuleReads, ...], tool: str) -> ToolReads:
    about = tuple(rule for rule in rules if rule.is_about(tool))
    return ToolReads(
        about,
        arguments=frozenset().union(*(rule.arguments for rule in about)),
        all_arguments=any(rule.all_arguments for rule in about),
        principal=frozenset().union(*(rule.principal for rule in about)),
        output=any(rule.type == "post" for rule in about),
    )


def missing(rule: RuleReads, arguments: Json, *, output: bool) -> Iterator[str]:
    """Fields that the rule reads and this call lacks; `output` says whether the output is
    stored."""
    yield from rule.not_here
    if rule.type == "post" and not output:
        yield OUTPUT
    if not (rule.arguments or rule.all_arguments):
        return
    if arguments is None:
        yield ARGUMENTS
    elif isinstance(arguments, dict):
        looked_at = arguments if rule.all_arguments else rule.arguments
        for name in sorted(looked_at):
            if name in arguments and not is_as_sent(arguments[name]):
                yield f"args.{name}"


def _reads(rule: Mapping[str, Any]) -> RuleReads:
    kind = str(rule.get("type", ""))
    selectors = set(_selectors(rule.get("when")))
    listed = rule.get("tools", rule.get("tool", "*"))
    then = rule.get("then")
    withholds = isinstance(then, dict) and then.get("action") in ("redact", "block")
    return RuleReads(
        id=str(rule.get("id", "")),
        type=kind,
        tools=tuple(map(str, listed if isinstance(listed, list) else [listed])),
        arguments=frozenset(
            selector.split(".")[1] for selector in selectors if selector.startswith("args.")
        ),
        # Arguments can decide whether a tool has side effects, and so whether output is withheld.
        all_arguments=kind == "sandbox" or (kind == "post" and withholds),
        principal=frozenset(
            selector.split(".")[1] for selector in selectors if selector.startswith("principal.")
        ),
        not_here=tuple(sorted(each for each in selectors if each.startswith(NOT_HERE))),
    )


def _selectors(condition: Any) -> Iterator[str]:
    if isinstance(condition, list):
        for part in condition:
            yield from _selectors(part)
    elif isinstance(condition, dict):
        for key, inside in condition.items():
            if key in _OPERATES:
                yield from _selectors(inside)
            else:
                yield str(key)

"""Warns about session limits that agents enforce differently than they read."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from governance.core.session_limits import SDK_MAX_ATTEMPTS, SDK_MAX_EXECUTIONS
from governance.texts.dialect import Path
from governance.texts.lint_finding import Finding
from governance.texts.plain_document import mapping

_CAPS = {"max_tool_calls": SDK_MAX_EXECUTIONS, "max_attempts": SDK_MAX_ATTEMPTS}
GLOB = frozenset("*?[")


class _Limit(NamedTuple):
    name: str  # max_attempts, max_tool_calls, or calls of one tool
    value: int
    rule: str
    path: Path


def about_limits(rules: Iterable[dict[str, Any]], *, observed: bool) -> Iterator[Finding]:
    limits: list[_Limit] = []
    for place, rule in enumerate(rules):
        if rule.get("type") != "session":
            continue
        yield from _about_mode(rule, ("rules", place), observed=observed)
        if rule.get("enabled") is not False:
            limits += _limits(rule, ("rules", place))
    lowest: dict[str, _Limit] = {}
    for limit in limits:
        if limit.name not in lowest or limit.value < lowest[limit.name].value:
            lowest[limit.name] = limit
    for limit in limits:
        yield from _about(limit, lowest)


def _about_mode(rule: dict[str, Any], path: Path, *, observed: bool) -> Iterator[Finding]:
    if rule.get("mode") == "observe":
        message = "Agents ignore `observe` on a session rule: it denies."
        yield Finding((*path, "mode"), message, fix="enforce")
    elif observed and "mode" not in rule:
        message = (
            "This denies although the contract is in observe mode:"
            " agents have no observe mode for session rules."
        )
        yield Finding((*path, "type"), message)


def _limits(rule: dict[str, Any], path: Path) -> Iterator[_Limit]:
    rule_id = str(rule.get("id", ""))
    limits = mapping(rule.get("limits"))
    for name in _CAPS:
        if (value := _integer(limits.get(name))) is not None:
            yield _Limit(name, value, rule_id, (*path, "limits", name))
    for tool, written in mapping(limits.get("max_calls_per_tool")).items():
        if (value := _integer(written)) is not None:
            at = (*path, "limits", "max_calls_per_tool", tool)
            yield _Limit(f"calls of `{tool}`", value, rule_id, at)


def _integer(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _about(limit: _Limit, lowest: dict[str, _Limit]) -> Iterator[Finding]:
    name = str(limit.path[-1])
    if limit.path[-2] == "max_calls_per_tool":
        if GLOB & set(name):
            message = f"`{name}` is read as an exact tool name. Patterns don't work here."
            yield Finding(limit.path, message, at_key=True)
            return
    elif limit.value > (cap := _CAPS[limit.name]):
        message = f"Agents stop at {cap} regardless of this limit (`{name}: {limit.value}`)."
        yield Finding(limit.path, message, fix=str(cap))
        return
    if sooner := _sooner(limit, lowest):
        yield Finding(limit.path, f"This limit is never hit: {sooner}.")
    elif limit.name == "max_attempts":
        message = (
            f"`max_attempts: {limit.value}` lets {limit.value - 1} calls pass; "
            f"attempt number {limit.value} is denied."
        )
        yield Finding(limit.path, message)


def _sooner(limit: _Limit, lowest: dict[str, _Limit]) -> str:
    """Reason why another limit always applies before this one; empty if none does."""
    least = lowest[limit.name]
    if least.value < limit.value:
        return f"rule `{least.rule}` says {least.value}"
    attempts, executions = lowest.get("max_attempts"), lowest.get("max_tool_calls")
    if limit.name == "max_attempts":
        return ""
    if attempts and attempts.value <= limit.value:
        return f"`max_attempts: {attempts.value}` denies call {attempts.value} before it"
    if limit.name != "max_tool_calls":
        most = executions.value if executions else SDK_MAX_EXECUTIONS
        if min(most, SDK_MAX_EXECUTIONS) < limit.value:
            return f"all calls together stop at {min(most, SDK_MAX_EXECUTIONS)}"
    return ""

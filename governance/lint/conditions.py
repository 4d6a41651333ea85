"""Warns about unknown selectors in the conditions and messages of rules."""

import re
from collections.abc import Iterator
from typing import Any

from governance.texts.dialect import Path
from governance.texts.lint_finding import Finding, as_yaml, did_you_mean, nearest
from governance.texts.plain_document import mapping

# The library accepts unknown selectors, but their conditions never match.
_SELECTOR = re.compile(
    r"environment|tool\.name|output\.text|(args|env|metadata|principal\.claims)\..+"
    r"|principal\.(user_id|service_id|org_id|role|ticket_ref)"
)
_SELECTORS = (
    "environment",
    "tool.name",
    "output.text",
    *(f"principal.{name}" for name in ("user_id", "service_id", "org_id", "role", "ticket_ref")),
)
_BEGINNINGS = ("args", "env", "metadata")
_SYNONYMS = {
    "arguments": "args",
    "params": "args",
    "parameters": "args",
    "input": "args",
    "tool_args": "args",
    "claims": "principal.claims",
}
_NAMES = {
    "env": "environment",
    "tool": "tool.name",
    "tool_name": "tool.name",
    "output": "output.text",
    "result": "output.text",
    "role": "principal.role",
    "user_id": "principal.user_id",
}
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*(?:\.[\w-]+)+)\}")


def about_conditions(rule: dict[str, Any], path: Path) -> Iterator[Finding]:
    for at, selector in _selectors(rule.get("when"), (*path, "when")):
        if not _SELECTOR.fullmatch(selector):
            meant = _meant(selector)
            message = f"`{selector}` is not a selector, so this condition never matches."
            fix = as_yaml(meant) if meant else ""
            yield Finding(at, message + did_you_mean(meant), at_key=True, fix=fix)
        elif selector.startswith("env."):
            message = f"`{selector}` has a value only in the agent."
            yield Finding(at, message, at_key=True)
        elif selector.startswith("metadata."):
            message = f"`{selector}` has a value only if the agent's code sets it."
            yield Finding(at, message, at_key=True)
    yield from _about_message(rule, path)


def _about_message(rule: dict[str, Any], path: Path) -> Iterator[Finding]:
    at = (*path, "message") if rule.get("type") == "sandbox" else (*path, "then", "message")
    says = rule if rule.get("type") == "sandbox" else mapping(rule.get("then"))
    message = says.get("message")
    for placeholder in _PLACEHOLDER.finditer(message) if isinstance(message, str) else ():
        if not _SELECTOR.fullmatch(placeholder[1]):
            meant = did_you_mean(f"{{{near}}}" if (near := _meant(placeholder[1])) else "")
            warning = f"`{placeholder[0]}` is not a selector, so the message shows it literally."
            yield Finding(at, warning + meant)


def _meant(selector: str) -> str:
    if selector in _NAMES:
        return _NAMES[selector]
    first, _, rest = selector.partition(".")
    if first in _SYNONYMS and rest:
        return f"{_SYNONYMS[first]}.{rest}"
    if near := nearest(selector, _SELECTORS):
        return near
    beginning = nearest(first, _BEGINNINGS) if rest else ""
    return f"{beginning}.{rest}" if beginning and beginning != first else ""


def _selectors(condition: Any, path: Path) -> Iterator[tuple[Path, str]]:
    match condition:
        case {"all": list() as parts} | {"any": list() as parts}:
            word = "all" if "all" in condition else "any"
            for place, part in enumerate(parts):
                yield from _selectors(part, (*path, word, place))
        case {"not": part}:
            yield from _selectors(part, (*path, "not"))
        case dict():
            for selector, test in condition.items():
                if isinstance(test, dict):
                    yield (*path, selector), selector
        case _:
            pass

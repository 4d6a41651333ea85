"""Warns about tool names and patterns that match nothing, and outputs that agents don't hide."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from governance.lint.limits import GLOB
from governance.texts.dialect import Path
from governance.texts.lint_finding import Finding, as_yaml, did_you_mean, nearest
from governance.texts.plain_document import action_of, mapping, tools_of

_SAFE = ("pure", "read")
_JUDGED_BY_COMMAND = "Bash"  # agents read from its command whether it changes anything
_LISTS = ("|", ",", "{", " ")
_GUESSES = 25  # finding the nearest of thousands of names takes a while


class ToolNames:
    """Tools ever seen, to match names and patterns against."""

    def __init__(self, names: Collection[str] | None) -> None:
        self._names = frozenset(names or ())  # empty if no call was recorded: then nothing is known
        self._met: dict[str, bool] = {"*": True}
        self._guesses = 0

    def meets_any(self, pattern: str) -> bool:
        if not self._names:
            return True
        if pattern not in self._met:
            self._met[pattern] = (
                any(fnmatchcase(name, pattern) for name in self._names)
                if GLOB & set(pattern)
                else pattern in self._names
            )
        return self._met[pattern]

    def has(self, pattern: str) -> bool:
        return bool(self._names) and self.meets_any(pattern)

    def nearest(self, pattern: str) -> str:
        self._guesses += 1
        return nearest(pattern, self._names) if self._guesses <= _GUESSES else ""


def about_tools(
    values: Mapping[str, Any], rules: Iterable[dict[str, Any]], known: ToolNames
) -> Iterator[Finding]:
    classified = mapping(values.get("tools"))
    for name in classified:
        if GLOB & set(name):
            message = f"`{name}` is read as an exact tool name. Patterns don't work here."
            yield Finding(("tools", name), message, at_key=True)
    safe = [
        name
        for name, settings in classified.items()
        if mapping(settings).get("side_effect") in _SAFE
    ]
    for place, rule in enumerate(rules):
        path: Path = ("rules", place)
        for at, pattern in _patterns(rule, path):
            yield from _about_pattern(pattern, at, known)
        for tool in mapping(mapping(rule.get("limits")).get("max_calls_per_tool")):
            if not GLOB & set(tool):
                at = (*path, "limits", "max_calls_per_tool", tool)
                yield from _unknown(tool, at, known, at_key=True)
        yield from _about_hiding(rule, path, safe)


def _patterns(rule: dict[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(rule.get("tool"), str):
        yield (*path, "tool"), rule["tool"]
    if isinstance(listed := rule.get("tools"), list):
        for place, pattern in enumerate(listed):
            if isinstance(pattern, str):
                yield (*path, "tools", place), pattern


def _about_pattern(pattern: str, at: Path, known: ToolNames) -> Iterator[Finding]:
    if any(sign in pattern for sign in _LISTS) and not known.has(pattern):
        message = (
            f"`{pattern}` is one pattern, not a list. It supports `*`, `?` and `[…]` only. "
            "Write a rule for each tool."
        )
        yield Finding(at, message)
    else:
        yield from _unknown(pattern, at, known, at_key=False)


def _unknown(name: str, at: Path, known: ToolNames, *, at_key: bool) -> Iterator[Finding]:
    if known.meets_any(name):
        return
    meant = known.nearest(name)
    message = f"`{name}` hasn't been called by any agent yet."
    if GLOB & set(name):
        message = f"No tool called so far matches `{name}`."
    yield Finding(at, message + did_you_mean(meant), at_key, as_yaml(meant) if meant else "")


def _about_hiding(rule: dict[str, Any], path: Path, safe: list[str]) -> Iterator[Finding]:
    """Warn if agents won't hide the output: after a side effect, hiding would not undo anything."""
    if rule.get("type") != "post" or action_of(rule) not in ("redact", "block"):
        return
    patterns = tools_of(rule)
    if any(fnmatchcase(tool, each) for each in patterns for tool in (*safe, _JUDGED_BY_COMMAND)):
        return
    message = (
        "Agents only warn here: they hide outputs of tools that `tools` lists with the side effect "
        "`read` or `pure`."
    )
    yield Finding((*path, "then", "action"), message)

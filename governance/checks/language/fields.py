"""Keys of an object in a check: allowed and required ones, and suggestions for typos."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from governance.checks.language.problems import Problems
from governance.checks.language.tree import Keys, Listing, Node, Word
from governance.checks.language.values import text_of
from governance.texts.lint_finding import nearest

NAME: Final = "[a-z0-9][a-z0-9_-]{0,62}"
_NAME = re.compile(NAME)
_NAME_WORDS: Final = (
    "Use up to 63 lowercase letters, digits, `-` and `_`, starting with a letter or digit."
)


_MEANT: Final = {  # names that contracts and people use
    **dict.fromkeys(("name", "rule"), "id"),
    **dict.fromkeys(("tools", "tool_name"), "tool"),
    **dict.fromkeys(("if", "condition", "where", "match"), "when"),
    **dict.fromkeys(("then", "outcome", "expect", "expected", "expects"), "verdict"),
    **dict.fromkeys(("message", "why", "detail"), "reason"),
    **dict.fromkeys(("tag", "tags", "labels"), "label"),
    **dict.fromkeys(("else", "default", "fallback"), "otherwise"),
    **dict.fromkeys(("output", "response"), "result"),
    **dict.fromkeys(("duration_ms", "duration", "elapsed"), "elapsed_ms"),
    **dict.fromkeys(("tests", "cases"), "examples"),
    **dict.fromkeys(("extends", "imports"), "include"),
}


def keys_of(node: Node, problems: Problems, what: str, known: Sequence[str]) -> Keys | None:
    """The node as an object, or None after reporting a problem. Unknown keys are reported and
    ignored."""
    if not isinstance(node, Keys):
        problems.at(node, f"{what} has keys: {_listed(known)}.")
        return None
    for key, _ in node:
        if key.text not in known:
            meant = _meant(key.text, known)
            better = f"Did you mean `{meant}`?" if meant else f"Use one of {_listed(known)}."
            problems.at(key, f"Unknown key `{key.text[:60]}`. {better}", fix=meant)
    return node


def needed(keys: Keys, key: str, problems: Problems, why: str) -> Node | None:
    node = keys.get(key)
    if node is None:
        problems.at(keys, f"`{key}` is missing: {why}")
    return node


def one_of(node: Node, words: Collection[str], problems: Problems, what: str) -> str | None:
    text = node.text if isinstance(node, Word) else ""
    if text in words:
        return text
    meant = nearest(text.lower(), words)
    beginning = f"`{text[:60]}` is not a {what}." if text else f"Enter a {what}."
    better = f"Did you mean `{meant}`?" if meant else f"Use one of {_listed(tuple(words))}."
    problems.at(node, f"{beginning} {better}", fix=meant)
    return None


def name_of(node: Node, problems: Problems) -> str | None:
    text = text_of(node, problems)
    if text is not None and not _NAME.fullmatch(text):
        problems.at(node, _NAME_WORDS)
        return None
    return text


_SEVERAL = {"include": "included checks"}  # for keys that don't name their own items


def listed(keys: Keys, key: str, problems: Problems, most: int) -> list[Node]:
    """Items of a list. Exceeding `most` is one problem, at the first item over the limit."""
    node = keys.get(key)
    if node is None:
        return []
    if not isinstance(node, Listing):
        problems.at(node, f"`{key}` is a list. Start each item with `-`.")
        return []
    if len(node.items) > most:
        problems.at(
            node.items[most],
            f"There are {len(node.items):,} {_SEVERAL.get(key, key)};"
            f" at most {most:,} are allowed. The limit is here.",
        )
        return []
    return node.items


def _meant(word: str, known: Sequence[str]) -> str:
    meant = _MEANT.get(word, "")
    return meant if meant in known else nearest(word, known)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)

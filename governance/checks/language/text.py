"""Reads the text of a named check: problems, compiled form, and results of its examples."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from governance.checks.language.examples import ExampleResult, read_examples, run_examples
from governance.checks.language.fields import keys_of, name_of, needed, one_of
from governance.checks.language.includes import Included
from governance.checks.language.pattern_table import PatternTable
from governance.checks.language.problems import Problems
from governance.checks.language.rules import VERDICTS, Rules
from governance.checks.language.tree import Keys, Node, Word, tree_of
from governance.checks.language.values import text_of
from governance.core.compiled_check import FORMAT, Compiled
from governance.core.errors import DocumentInvalid, Problem
from governance.texts.source_text import decoded, refuse_at

API_VERSION: Final = "edictum-site/v1"
KIND: Final = "SuccessCheck"
MAX_BYTES: Final = 256 * 1024
LONGEST_DESCRIPTION: Final = 2_000
KEYS: Final = ("apiVersion", "kind", "metadata", "otherwise", "include", "rules", "examples")
OTHERWISE: Final = (*VERDICTS, "default")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedText:
    """Result of reading a check. It is compiled even if examples fail, so that an editor can show
    what it does, but only saved if it has no problems."""

    name: str = ""
    description: str = ""
    problems: tuple[Problem, ...] = ()
    compiled: Compiled | None = None
    examples: tuple[ExampleResult, ...] = ()
    included: Mapping[str, int] = field(default_factory=dict)  # included versions by name


IncludedBy: TypeAlias = Callable[[str], Included]


def check_text(text: str | bytes, *, included: Included, version: int = 0) -> CheckedText:
    return read_check(text, included_by=lambda name: included, version=version)


def read_check(text: str | bytes, *, included_by: IncludedBy, version: int = 0) -> CheckedText:
    """Read a check; `included_by` resolves included names."""
    try:
        source = decoded(text, at_most=MAX_BYTES)
        if match := _BREAK_TO_SOME.search(source):
            refuse_at(match.start(), source, _BREAK.format(code=ord(match[0])))
        root = tree_of(source)
    except DocumentInvalid as refused:
        return CheckedText(problems=refused.errors)
    problems = Problems()
    if not isinstance(root, Keys):
        at_start = Problem(message=_NO_CHECK if root else _EMPTY, line=1, column=1)
        return CheckedText(problems=(at_start,))
    return _checked(root, problems, included_by, version)


# YAML 1.1 treats these as line breaks and folds them, 1.2 does not.
_BREAK_TO_SOME = re.compile("[\x85\u2028\u2029]")
_BREAK: Final = 'There is an invisible line break here. Write "\\u{code:04x}" in double quotes.'
_EMPTY: Final = "The text is empty."
_NO_CHECK: Final = "A success check has keys, such as `kind: SuccessCheck`."


def _checked(root: Keys, problems: Problems, included_by: IncludedBy, version: int) -> CheckedText:
    keys_of(root, problems, "A success check", KEYS)
    _fixed(root, "apiVersion", API_VERSION, problems)
    _fixed(root, "kind", KIND, problems)
    name, description = _metadata(root, problems)
    otherwise = needed(
        root,
        "otherwise",
        problems,
        "the verdict when no rule matches: success, failure, "
        "unknown, or default for the default check.",
    )
    last = one_of(otherwise, OTHERWISE, problems, "verdict") if otherwise else None
    patterns = PatternTable(problems)
    reader = Rules(problems, patterns)
    rules = reader.all_of(root, name, included_by(name))
    examples = read_examples(root, problems)
    if problems.listed or last is None:
        return CheckedText(name=name, description=description, problems=problems.in_order())
    compiled: Compiled = {
        "format": FORMAT,
        "name": name,
        "version": version,
        "otherwise": last,
        "automata": patterns.automata,
        "rules": rules,
    }
    ran = run_examples(examples, compiled, problems)
    return CheckedText(
        name=name,
        description=description,
        problems=problems.in_order(),
        compiled=compiled,
        examples=ran,
        included=reader.included,
    )


def _fixed(root: Keys, key: str, word: str, problems: Problems) -> None:
    node = root.get(key)
    if node is None:
        problems.at(root, f"`{key}: {word}` is missing.")
    elif not isinstance(node, Word) or node.text != word:
        problems.at(node, f"`{key}` must be `{word}`.", fix=word)


def _metadata(root: Keys, problems: Problems) -> tuple[str, str]:
    node = needed(root, "metadata", problems, "`metadata: {name: …}` names the check.")
    keys = keys_of(node, problems, "`metadata`", ("name", "description")) if node else None
    if keys is None:
        return "", ""
    named = needed(keys, "name", problems, "the check's name.")
    described = keys.get("description")
    return _name(named, problems), _description(described, problems)


def _name(node: Node | None, problems: Problems) -> str:
    return (name_of(node, problems) or "") if node else ""


def _description(node: Node | None, problems: Problems) -> str:
    text = (text_of(node, problems) or "") if node else ""
    if node and len(text) > LONGEST_DESCRIPTION:
        problems.at(
            node,
            f"The description has {len(text):,} characters; at most {LONGEST_DESCRIPTION:,} "
            "are allowed.",
        )
    return text

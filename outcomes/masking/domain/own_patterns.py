"""Custom masking patterns of a project, written one per line as `name inside pattern`."""

import re
from collections.abc import Sequence
from typing import Any, Final

from governance.checks.language.automata import PatternRefused, automaton
from governance.matching.call import Call
from governance.matching.patterns import pattern_of

MOST: Final = 20  # patterns
LONGEST: Final = 500  # characters per pattern
MOST_STATES: Final = 1_000
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
WHERE: Final = {"inside": True, "whole": False}
FORM: Final = "Write `name inside pattern` or `name whole pattern`."


class PatternsInvalid(ValueError):
    """A line is not a valid pattern; the message names the line."""


def read_patterns(text: str) -> list[dict[str, Any]]:
    """Patterns in their stored form, each with its compiled automaton."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    written = [(number, line) for number, line in lines if line]
    if len(written) > MOST:
        raise PatternsInvalid(f"At most {MOST} patterns are allowed. Combine several with |.")
    patterns: list[dict[str, Any]] = []
    for number, line in written:
        try:
            patterns.append(_pattern(line, {each["name"] for each in patterns}))
        except ValueError as error:
            raise PatternsInvalid(f"Line {number}: {error}") from None
    return patterns


def patterns_text(patterns: Sequence[dict[str, Any]]) -> str:
    """Patterns as lines of the form."""
    words = {inside: word for word, inside in WHERE.items()}
    return "\n".join(
        f"{each['name']} {words[each['inside']]} {each['pattern']}" for each in patterns
    )


def _pattern(line: str, names: set[str]) -> dict[str, Any]:
    parts = line.split(None, 2)
    if len(parts) < 3 or parts[1] not in WHERE:
        raise ValueError(FORM)
    name, where, pattern = parts
    if not _NAME.fullmatch(name):
        raise ValueError("A name has up to 32 small letters, digits and hyphens.")
    if name in names:
        raise ValueError(f"There is another pattern {name}.")
    if len(pattern) > LONGEST:
        raise ValueError(f"A pattern has at most {LONGEST} characters.")
    inside = WHERE[where]
    try:
        made = automaton(pattern if inside else f"^(?:{pattern})$")
    except PatternRefused as refused:
        raise ValueError(f"`{pattern}`: {refused.message}") from None
    if made["width"] and len(made["table"]) // made["width"] > MOST_STATES:
        raise ValueError(f"`{pattern}` is too large: it needs more than {MOST_STATES:,} states.")
    if pattern_of(made)("", True, Call("", None, None)):  # noqa: FBT003 - all of the text
        raise ValueError(f"`{pattern}` is found in an empty text, so in every text.")
    return {"name": name, "pattern": pattern, "inside": inside, "automaton": made}

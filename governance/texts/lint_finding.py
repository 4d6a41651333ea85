"""A lint warning about a document, in terms of the new format."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches

from governance.texts.dialect import Path

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS_OF_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


@dataclass(frozen=True, slots=True)
class Finding:
    path: Path
    message: str
    at_key: bool = False
    fix: str = ""  # replacement as YAML


def is_plain(word: str) -> bool:
    """Whether every YAML parser reads this word as this string without quotes."""
    return bool(_PLAIN.fullmatch(word)) and word.lower() not in _WORDS_OF_YAML


def as_yaml(word: str) -> str:
    """A single-line string, quoted if necessary."""
    if is_plain(word):
        return word
    return "'" + word.replace("'", "''") + "'"


def nearest(word: str, known: Collection[str]) -> str:
    return next(iter(get_close_matches(word, known, n=1, cutoff=0.7)), "")


def did_you_mean(word: str) -> str:
    return f" Did you mean `{word}`?" if word else ""

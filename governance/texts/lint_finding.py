"""One thing that would surprise the author of a document, told in the words of the new dialect."""

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
    fix: str = ""  # as YAML: what belongs there instead of what stands there


def is_plain(word: str) -> bool:
    """Whether every reader of YAML takes it, without quotes, for this text."""
    return bool(_PLAIN.fullmatch(word)) and word.lower() not in _WORDS_OF_YAML


def as_yaml(word: str) -> str:
    """A text on one line, in quotes where it needs them."""
    if is_plain(word):
        return word
    return "'" + word.replace("'", "''") + "'"


def nearest(word: str, known: Collection[str]) -> str:
    return next(iter(get_close_matches(word, known, n=1, cutoff=0.7)), "")


def did_you_mean(word: str) -> str:
    return f" Did you mean `{word}`?" if word else ""

"""Normalizes submitted texts, and finds the words at a position."""

import re
from collections.abc import Sequence
from hashlib import sha256

from governance.core.errors import Problem

_LINE_END = re.compile("\r\n|\r")
# Words that a problem marks: a quoted string, or the characters up to the end of a plain scalar.
_WORDS = re.compile(r""""(?:\\.|[^"\\])*"|'(?:''|[^'])*'|(?:(?!:(?:\s|$)|[,{}\[\]])\S)+""")


def as_written(sent: str, *, like: str = "") -> str:
    """Text with LF line ends. Forms always send CRLF, which is kept only if `like` has it."""
    text = _LINE_END.sub("\n", sent)
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def revision_of(text: str, base: int) -> str:
    """Identifier of a draft's state, so that two tabs can't overwrite each other's changes."""
    return sha256(f"{base}\n{text}".encode()).hexdigest()[:32]


def lines_of(text: str) -> list[str]:
    return _LINE_END.sub("\n", text).split("\n")


def words_at(lines: Sequence[str], problem: Problem) -> str:
    """Exact words at a problem's position; empty if there are none."""
    if problem.line is None or problem.column is None:
        return ""
    line = lines[problem.line - 1] if problem.line <= len(lines) else ""
    match = _WORDS.match(line, problem.column - 1)
    return match[0] if match else ""

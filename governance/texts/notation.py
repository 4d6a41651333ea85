"""Texts as a browser sends them, and the words at a place in one."""

import re
from collections.abc import Sequence
from hashlib import sha256

from governance.core.errors import Problem

_LINE_END = re.compile("\r\n|\r")
# What a problem points at: a quoted text, or the letters up to where YAML ends a plain word.
_WORDS = re.compile(r""""(?:\\.|[^"\\])*"|'(?:''|[^'])*'|(?:(?!:(?:\s|$)|[,{}\[\]])\S)+""")


def as_written(sent: str, *, like: str = "") -> str:
    """Forms send every line end as CR LF: it is kept only where the text it grew from has it."""
    text = _LINE_END.sub("\n", sent)
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def revision_of(text: str, base: int) -> str:
    """Names a state of a draft. Two tabs that saw the same one cannot overwrite anything."""
    return sha256(f"{base}\n{text}".encode()).hexdigest()[:32]


def lines_of(text: str) -> list[str]:
    return _LINE_END.sub("\n", text).split("\n")


def words_at(lines: Sequence[str], problem: Problem) -> str:
    """The exact words that a problem is about; empty where there are none."""
    if problem.line is None or problem.column is None:
        return ""
    line = lines[problem.line - 1] if problem.line <= len(lines) else ""
    match = _WORDS.match(line, problem.column - 1)
    return match[0] if match else ""

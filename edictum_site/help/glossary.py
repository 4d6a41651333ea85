"""Definitions of terms, from the glossary in the docs."""

import re
from functools import cache
from typing import Final

from django.conf import settings

_ROW: Final = re.compile(r"^\| (\*\*.+?) \| (.+) \|$", re.MULTILINE)
_WORD: Final = re.compile(r"\*\*(.+?)\*\*")
_MARKS: Final = re.compile(r"\*\*|[*`]|\[([^\]]+)\]\([^)]*\)")


@cache
def meanings() -> dict[str, str]:
    text = (settings.BASE / "docs/glossary.md").read_text("utf-8")
    return {
        word: _MARKS.sub(lambda mark: mark[1] or "", meaning)
        for words, meaning in _ROW.findall(text)
        for word in _WORD.findall(words)
    }

"""Syntax highlighting of YAML as lines of HTML: keys, strings, numbers, keywords and comments."""

import re
from collections.abc import Iterator
from itertools import pairwise

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from governance.core.errors import DocumentInvalid
from governance.texts.yaml_text import places

_NUMBER = re.compile(r"[-+]?(\d[\d_]*)(\.\d+)?([eE][-+]?\d+)?")
_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\n]*", re.MULTILINE)


_MOST = 128 * 1024  # characters; highlighting a longer text would take seconds

Piece = tuple[str, str]  # CSS class or empty, and the text


def marked_lines(text: str, words: frozenset[str]) -> list[SafeString]:
    """Highlighted lines; `words` are the keywords of the language."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > _MOST:
        return [escape(line) for line in text.removesuffix("\n").split("\n")]
    lines: list[list[Piece]] = [[]]
    for kind, piece in _pieces(text, words):
        first, *rest = piece.split("\n")
        lines[-1].append((kind, first))
        lines += [[(kind, part)] for part in rest]
    if lines[-1] in ([], [("", "")]):
        lines.pop()
    return [_markup(line) for line in lines]


def _markup(line: list[Piece]) -> SafeString:
    return format_html_join("", "{}", ((_span(*piece),) for piece in line if piece[1]))


def _span(kind: str, text: str) -> SafeString | str:
    return format_html('<span class="code-{}">{}</span>', kind, text) if kind else text


def _pieces(text: str, words: frozenset[str]) -> Iterator[Piece]:
    done = 0
    try:
        for place in places(text):
            start, end = place.start.index, place.end.index
            value = getattr(place.event, "value", None)
            if value is None or end <= start:
                continue
            yield from _between(text[done:start])
            yield _kind(text[start:end], words, is_key=place.is_key), text[start:end]
            done = end
    except DocumentInvalid:
        pass  # the text after the error isn't highlighted
    yield from _between(text[done:])


def _between(text: str) -> Iterator[Piece]:
    cuts = [0, *(at for comment in _COMMENT.finditer(text) for at in comment.span()), len(text)]
    for number, (start, end) in enumerate(pairwise(cuts)):
        yield ("note" if number % 2 else ""), text[start:end]


def _kind(written: str, words: frozenset[str], *, is_key: bool) -> str:
    if is_key:
        return "key"
    if written[0] in "'\"":
        return "string"
    if _NUMBER.fullmatch(written):
        return "number"
    return "word" if written in words else ""

"""Words of texts: splitting, comparing and marking."""

import re
from typing import Final

LONGEST: Final = 64  # characters of a word that the index distinguishes
_WORD: Final = re.compile(r"[^\W_]+")

Marked = tuple[tuple[str, bool], ...]  # parts of a text, and whether each matches


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def indexed_words(text: str) -> list[str]:
    """Words in the index. Single letters and digits are too frequent to be useful."""
    return [word[:LONGEST] for word in words(text) if len(word) > 1]


def contains(text: str, phrase: str) -> bool:
    """Whether the text contains these words, complete and in this order."""
    if phrase.isascii() and text.isascii() and not _may_contain(text, phrase):
        return False
    return f" {' '.join(words(phrase))} " in f" {' '.join(words(text))} "


def marked(text: str, phrases: list[str], longest: int) -> Marked:
    """Text with its matches marked, shortened without cutting off the first match."""
    spans = _spans(text, phrases)
    if len(text) > longest:
        text, spans = _cut(text, spans, longest)
    parts: list[tuple[str, bool]] = []
    place = 0
    for start, end in spans:
        if start < place:
            continue
        parts += [(text[place:start], False), (text[start:end], True)]
        place = end
    return tuple(part for part in (*parts, (text[place:], False)) if part[0])


def _may_contain(text: str, phrase: str) -> bool:
    folded = text.lower()
    return all(word in folded for word in words(phrase))


def _spans(text: str, phrases: list[str]) -> list[tuple[int, int]]:
    patterns = [_pattern(phrase) for phrase in phrases if words(phrase)]
    return sorted(match.span() for each in patterns for match in each.finditer(text))


def _pattern(phrase: str) -> re.Pattern[str]:
    """Pattern for a phrase. Letters or digits next to it would make it part of a longer word."""
    between = r"[\W_]+".join(map(re.escape, words(phrase)))
    return re.compile(rf"(?<![^\W_]){between}(?![^\W_])", re.IGNORECASE)


def _cut(
    text: str, spans: list[tuple[int, int]], longest: int
) -> tuple[str, list[tuple[int, int]]]:
    first = spans[0] if spans else (0, 0)
    start = max(0, min(first[0] - longest // 3, len(text) - longest))
    end = max(start + longest, first[1])
    before, after = "…" if start else "", "…" if end < len(text) else ""
    moved = len(before) - start
    inside = [(a + moved, b + moved) for a, b in spans if a >= start and b <= end]
    return before + text[start:end] + after, inside

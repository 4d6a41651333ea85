"""Secrets inside a text: by their format, and as the value of a field with a secret's name."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from governance.core.secret_names import is_name_of_secret_number, is_secret_name

Span = tuple[int, int]


class _Signature(NamedTuple):
    hints: tuple[str, ...]  # in small letters; without one of them in it a text needs no search
    pattern: re.Pattern[str]


def _signature(hints: str, pattern: str) -> _Signature:
    return _Signature(tuple(hints.split()), re.compile(pattern))


# Each finds the secret as its group `secret`; what leads up to it stays readable. A repeat is
# bounded, or none begins inside it, so that a long text costs its length and not its square.
_SIGNATURES: Final = (
    _signature(
        "private",
        r"(?P<secret>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}-----)?)",
    ),
    _signature("eyj", r"(?P<secret>(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)"),
    _signature("bearer basic", r"(?i:\b(?:bearer|basic)\s{1,4})(?P<secret>[\w.~+/=-]{12,})"),
    _signature("edk_", r"(?P<secret>\bedk_[A-Za-z0-9][\w.-]{0,200}_[A-Za-z0-9]{32,256}\b)"),
    _signature(
        "sk- sk_ pk- pk_ rk- rk_",
        r"(?P<secret>(?<![\w-])(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_]){0,3}[A-Za-z0-9_-]{16,})",
    ),
    _signature(
        "gh github_pat_ glpat-",
        r"(?P<secret>\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}))",
    ),
    _signature("xox", r"(?P<secret>\bxox[a-z]-[A-Za-z0-9-]{10,})"),
    _signature("akia asia", r"(?P<secret>\b(?:AKIA|ASIA)[A-Z0-9]{16}\b)"),
    _signature("aiza", r"(?P<secret>\bAIza[\w-]{30,})"),
    _signature(
        "://",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@]{0,200}:(?P<secret>[^\s/@]{1,200})@",
    ),
    _signature(
        "password passwd pwd secret token key",
        r"(?i:\b(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret)"
        r"[\"']?\s{0,4}[=:]\s{0,4}(?:\\{0,7}[\"'])?)(?P<secret>[^\s\"'\\&,;\[\]{}]{3,})",
    ),
)
_HINTS: Final = tuple((signature, hint) for signature in _SIGNATURES for hint in signature.hints)
_CARD: Final = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
# A field as JSON and Python write it, also inside of a text that is written as JSON itself.
_FIELD: Final = re.compile(r"""["']([A-Za-z_$@][\w$@. -]{0,80})\\{0,7}["']\s{0,4}:\s{0,4}""")
_QUOTE: Final = re.compile(r"""\\{0,7}["']""")
_NUMBER: Final = re.compile(r"-?[0-9][0-9.eE+-]*")
# The beginning of a secret at the end of a text that was cut there.
_CUT: Final = re.compile(
    r"""(?P<secret>(?<![\w-])(?:eyJ|edk_|[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-
    |AKIA|ASIA|AIza)[\w.+/=-]{0,512}|-----BEGIN[^-]{0,60}-{0,5})\Z
    |(?i:\b(?:bearer|basic)\s{1,4})(?P<token>[\w.~+/=-]{1,512})\Z
    |://[^\s/:@]{0,200}:(?P<user>[^\s/@]{1,200})\Z""",
    re.VERBOSE,
)


def secret_spans(text: str, *, is_cut: bool = False) -> list[Span]:
    """Spans of secrets in a text, in order and apart; in a cut text also a prefix of a secret at
    its end."""
    small = text.lower()
    spans = [
        match.span("secret")
        for signature in [each for each, hint in _HINTS if hint in small]
        for match in signature.pattern.finditer(text)
    ]
    spans += [match.span() for match in _CARD.finditer(text) if _is_card(match[0])]
    if '"' in text or "'" in text:
        spans += _fields(text)
    if is_cut and (match := _CUT.search(text, max(0, len(text) - 600))):
        spans.append(match.span(match.lastgroup or 0))
    return _apart(spans)


def end_of_container(text: str, start: int) -> int:
    """End of the list or object that begins here; the end of the text if it is cut."""
    depth, place = 0, start
    while place < len(text):
        character = text[place]
        if character == '"':
            place = _end_of_text(text, place + 1, '"')
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if not depth:
                return place + 1
        place += 1
    return len(text)


def _fields(text: str) -> Iterator[Span]:
    place = 0
    while field := _FIELD.search(text, place):
        place = field.end()
        if not is_secret_name(field[1]):
            continue
        if quote := _QUOTE.match(text, place):
            end = _end_of_text(text, quote.end(), quote[0])
            if end > quote.end():
                yield quote.end(), end
            place = end
        elif text[place : place + 1] in ("{", "["):
            end = end_of_container(text, place)
            if end - place > len("{}"):
                yield place, end
            place = end
        elif (number := _NUMBER.match(text, place)) and is_name_of_secret_number(field[1]):
            yield number.span()
            place = number.end()


def _end_of_text(text: str, start: int, quote: str) -> int:
    """Before the quote that closes it; the end of the text if none does."""
    place = start
    while (place := text.find(quote, place)) >= 0:
        before = place
        while before > start and text[before - 1] == "\\":
            before -= 1
        if (place - before) % 2 == 0:
            return place
        place += len(quote)
    return len(text)


def _apart(spans: list[Span]) -> list[Span]:
    """In order, those that touch made one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _is_card(text: str) -> bool:
    """Luhn's sum, which one number in ten has by chance."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0

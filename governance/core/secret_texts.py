"""Detect secrets inside a text: by format, and as values of fields with a secret's name."""

import re
from collections.abc import Container, Iterator
from typing import Final, NamedTuple

from governance.core.masks.check_digits import iban_spans, is_card
from governance.core.masks.detectors import SHOWN_DETECTORS, Detector
from governance.core.masks.marks import MARK_BEGINS, is_mark
from governance.core.secret_names import is_name_of_secret_number, is_secret_name

Span = tuple[int, int]


class NamedSpan(NamedTuple):
    start: int
    end: int
    detector: Detector


class _Signature(NamedTuple):
    detector: Detector
    hints: tuple[str, ...]  # lower case; a text that contains none of them is not searched
    pattern: re.Pattern[str]


def _signature(detector: Detector, hints: str, pattern: str) -> _Signature:
    return _Signature(detector, tuple(hints.split()), re.compile(pattern))


# The group `secret` is masked; the text before it stays readable. Repeats are bounded, or can't
# start inside a match, so that the search takes linear and not quadratic time.
_SIGNATURES: Final = (
    _signature(
        Detector.PRIVATE_KEYS,
        "private",
        r"(?P<secret>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}-----)?)",
    ),
    _signature(Detector.JWTS, "eyj", r"(?P<secret>(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)"),
    _signature(
        Detector.TOKENS,
        "bearer basic",
        r"(?i:\b(?:bearer|basic)\s{1,4})(?P<secret>[\w.~+/=-]{12,})",
    ),
    _signature(
        Detector.TOKENS,
        "edk_",
        r"(?P<secret>\bedk_[A-Za-z0-9][\w.-]{0,200}_[A-Za-z0-9]{32,256}\b)",
    ),
    _signature(
        Detector.TOKENS,
        "sk- sk_ pk- pk_ rk- rk_",
        r"(?P<secret>(?<![\w-])(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_]){0,3}[A-Za-z0-9_-]{16,})",
    ),
    _signature(
        Detector.TOKENS,
        "gh github_pat_ glpat-",
        r"(?P<secret>\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}))",
    ),
    _signature(Detector.TOKENS, "xox", r"(?P<secret>\bxox[a-z]-[A-Za-z0-9-]{10,})"),
    _signature(Detector.TOKENS, "akia asia", r"(?P<secret>\b(?:AKIA|ASIA)[A-Z0-9]{16}\b)"),
    _signature(Detector.TOKENS, "aiza", r"(?P<secret>\bAIza[\w-]{30,})"),
    _signature(
        Detector.PASSWORDS,
        "://",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@]{0,200}:(?P<secret>[^\s/@]{1,200})@",
    ),
    _signature(
        Detector.PASSWORDS,
        "password passwd pwd secret token key",
        r"(?i:\b(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret)"
        r"[\"']?\s{0,4}[=:]\s{0,4}(?:\\{0,7}[\"'])?)(?P<secret>[^\s\"'\\&,;\[\]{}]{3,})",
    ),
)
_E_MAIL: Final = _signature(
    Detector.E_MAILS,
    "@",
    r"(?P<secret>(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})",
)
# One search to skip short texts, which rarely hold secrets: hints, long numbers, quotes, IBANs.
_SHORT: Final = 200
_MAY_HOLD: Final = re.compile(
    "|".join(
        [re.escape(hint) for each in (*_SIGNATURES, _E_MAIL) for hint in each.hints]
        + [r"\d(?:[ -]?\d){12}", r"[a-z]{2}\d{2}", "[\"']"]
    ),
    re.IGNORECASE,
)
_CARD: Final = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
# A field in JSON or Python notation, also inside a JSON-encoded string.
_FIELD: Final = re.compile(r"""["']([A-Za-z_$@][\w$@. -]{0,80})\\{0,7}["']\s{0,4}:\s{0,4}""")
_QUOTE: Final = re.compile(r"""\\{0,7}["']""")
_NUMBER: Final = re.compile(r"-?[0-9][0-9.eE+-]*")
# The beginning of a secret at the end of a truncated text.
_CUT: Final = re.compile(
    r"""(?P<secret>(?<![\w-])(?:eyJ|edk_|[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-
    |AKIA|ASIA|AIza)[\w.+/=-]{0,512}|-----BEGIN[^-]{0,60}-{0,5})\Z
    |(?i:\b(?:bearer|basic)\s{1,4})(?P<token>[\w.~+/=-]{1,512})\Z
    |://[^\s/:@]{0,200}:(?P<user>[^\s/@]{1,200})\Z""",
    re.VERBOSE,
)


def secret_spans(text: str, *, is_cut: bool = False) -> list[Span]:
    """Spans of secrets in a text, in order and without overlaps.

    In a truncated text, this includes a prefix of a secret at its end.
    """
    return [span[:2] for span in named_spans(text, SHOWN_DETECTORS, is_cut=is_cut)]


def named_spans(
    text: str, detectors: Container[Detector], *, is_cut: bool = False
) -> list[NamedSpan]:
    """Spans that these detectors find, without masks from before storing."""
    if len(text) <= _SHORT and not is_cut and not _MAY_HOLD.search(text):
        return []
    small = text.lower()
    spans = [
        NamedSpan(*match.span("secret"), signature.detector)
        for signature in (*_SIGNATURES, _E_MAIL)
        if signature.detector in detectors and any(hint in small for hint in signature.hints)
        for match in signature.pattern.finditer(text)
    ]
    if Detector.CARDS in detectors:
        cards = (match for match in _CARD.finditer(text) if is_card(match[0]))
        spans += [NamedSpan(*match.span(), Detector.CARDS) for match in cards]
    if Detector.IBANS in detectors:
        spans += [NamedSpan(*span, Detector.IBANS) for span in iban_spans(text)]
    if Detector.NAMES in detectors and ('"' in text or "'" in text):
        spans += [NamedSpan(*span, Detector.NAMES) for span in _fields(text)]
    if is_cut and (match := _CUT.search(text, max(0, len(text) - 600))):
        spans.append(NamedSpan(*match.span(match.lastgroup or 0), Detector.TOKENS))
    if spans and MARK_BEGINS in text:
        spans = [each for each in spans if not is_mark(text[each.start : each.end])]
    return _apart(spans)


def end_of_container(text: str, start: int) -> int:
    """End of the list or object that starts here; the end of the text if it is truncated."""
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
    """Position of the closing quote, or the end of the text if there is none."""
    place = start
    while (place := text.find(quote, place)) >= 0:
        before = place
        while before > start and text[before - 1] == "\\":
            before -= 1
        if (place - before) % 2 == 0:
            return place
        place += len(quote)
    return len(text)


def _apart(spans: list[NamedSpan]) -> list[NamedSpan]:
    """Sorted spans, with touching or overlapping ones merged."""
    merged: list[NamedSpan] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return merged

"""Groups of similar failures and similar denials.

Failures share a group if tool, cause (a check's rule, a timeout or an exception) and normalized
reason match. Denials share one if tool, agent, reason, contract rule and normalized details match.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from governance.core.masks.marks import without_fingerprints
from outcomes.core.groups import DENIED, FAILURE, LONGEST

_READ: Final = 2 * LONGEST  # characters read, before whitespace is collapsed
DETAILED: Final = ("failure", "timeout")  # kinds whose detail is the agent's reason
_SPACE: Final = re.compile(r"[\s\x00-\x1f]+")
# Parts that differ from call to call although the reason is the same. Their replacements are never
# longer.
_DIFFERING: Final = re.compile(
    r"""
      (?P<quoted> "[^"]+" | `[^`]+` | (?<![\w#…@])'[^']+'(?![\w#…]) )
    | (?P<scheme> \b[A-Za-z][A-Za-z+]* (?=://) ) ://[^\s"'`<>]+
    | (?P<mail> (?<![\w.+%-]) [\w.+%-]+@[\w-]+(?:\.[\w-]+)+ )
    | (?P<path> (?<![\w#…"'`./\\@]) (?:~|\.+|[A-Za-z]:)? [/\\] [^\s"'`<>:,;()]+ )
    | (?P<uuid> \b [0-9A-Fa-f]{8} (?:-[0-9A-Fa-f]{4}){3} - [0-9A-Fa-f]{12} \b )
    | (?P<status> \b (?:HTTP|[Ss]tatus) (?:\ code)? [ :]\ ? [1-5]\d\d \b )
    | (?P<word> (?<![^\W_]) [^\W\d_]* \d [^\W_]* )
    """,
    re.VERBOSE,
)
_MAY_DIFFER: Final = re.compile(r"""[\d"'`/\\@]""")  # most reasons have none of these
_HEX: Final = re.compile(r"[0-9a-fA-F]{4,}")
_NUMBERED: Final = re.compile(r"([^\W\d_]+)\d+")  # a word and its number: worker12
_NUMBERS: Final = re.compile(r"#(?:[-.,:/_+]?#)+")  # 2026-11-18, 10.0.0.7, 1,204.5


class Grouping(NamedTuple):
    """Common properties of a group's calls; tool and agent are row numbers."""

    of: str  # failure or denied
    tool: int
    agent: int  # 0: any
    kind: str
    reason: str  # of a denial
    rule: str  # the contract's that denied, or the check's that decided
    check: str
    text: str  # reason or details of the calls, normalized


def grouping(
    *,
    kind: str,
    verdict: str,
    tool: int,
    agent: int,
    reason: str,
    detail: str,
    rule: str,
    check: str,
    check_rule: str,
    check_words: str,
) -> Grouping | None:
    """Failure or denial group of a call, or None if it neither failed nor was denied. The check's
    message takes precedence over the agent's."""
    if kind == DENIED:
        return Grouping(DENIED, tool, agent, kind, reason, rule, "", normalised(detail))
    if verdict != FAILURE:
        return None
    text = check_words or (detail if kind in DETAILED else "")
    return Grouping(FAILURE, tool, 0, kind, "", check_rule, check, normalised(text))


@lru_cache(maxsize=4_096)
def normalised(text: str) -> str:
    """A reason without the parts that differ from call to call: numbers, ids, hashes, dates,
    quoted text, paths and addresses. An HTTP status stays.

    `Row 17 of "users" is locked` is `Row # of "…" is locked`.
    """
    general = _SPACE.sub(" ", without_fingerprints(text[:_READ]))[:LONGEST].strip()
    if not _MAY_DIFFER.search(general):
        return general
    # Each pass shortens the text or generalizes more of it, so one or two passes reach a fixpoint.
    while (shorter := _NUMBERS.sub("#", _DIFFERING.sub(_in_general, general))) != general:
        general = shorter
    return general


def _in_general(match: re.Match[str]) -> str:
    text = match[0]
    match match.lastgroup:
        case "quoted":
            return f"{text[0]}…{text[-1]}"
        case "scheme":
            return f"{match['scheme']}://…"
        case "mail":
            return "…@…"
        case "path":
            return "/…"
        case "uuid":
            return "#"
        case "status":  # 404 and 500 are not the same reason
            return text
        case _:
            return _word_in_general(text)


def _word_in_general(word: str) -> str:
    numbered = None if _HEX.fullmatch(word) else _NUMBERED.fullmatch(word)
    return f"{numbered[1]}#" if numbered else "#"

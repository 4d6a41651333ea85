"""Headline of a session and its causes: fixed phrases filled with names and figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from governance.core.masking import masked_beginning
from outcomes.sessions.domain.overview import FailureGroup

LONGEST: Final = 90
_SHORT: Final = 24  # characters of a shortened name
_ANY: Final = "This session"


class Code(str):
    """Name of a session, tool, rule or limit in a sentence."""

    __slots__ = ()


def headline(session_id: str, *parts: str) -> SafeString:
    """Headline of at most LONGEST characters. The breadcrumbs show the full id, so a long id is
    dropped first, then other names are shortened."""
    shortened = tuple(_shortened(part) for part in parts)
    for shown in ((Code(session_id), *parts), (_ANY, *parts), (_ANY, *shortened)):
        if sum(map(len, shown)) <= LONGEST:
            return sentence(shown)
    return sentence(_cut((_ANY, *shortened)))


def sentence(parts: Iterable[str]) -> SafeString:
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<code>{}</code>", part) if isinstance(part, Code) else part,)
            for part in parts
        ),
    )


def _shortened(part: str) -> str:
    is_long = isinstance(part, Code) and len(part) > _SHORT
    return Code(f"{part[: _SHORT - 1]}…") if is_long else part


def _cut(parts: Sequence[str]) -> list[str]:
    """Parts cut to LONGEST characters; the last part is an error text of any length."""
    room, shown = LONGEST - 1, []
    for part in parts:
        shown.append(type(part)(part[:room]))
        room -= len(shown[-1])
        if not room:
            break
    return [*shown, "…"]


TIMED_OUT: Final = "timed out"


@dataclass(frozen=True, slots=True)
class NamedFailure:
    """Failures of a tool with one error."""

    tool: str
    error: str
    calls: int
    missed: int  # reported as success by the agent
    call_id: str  # newest
    group_key: str = ""  # shared by similar failures in all sessions
    is_timeout: bool = False

    @property
    def is_silent(self) -> bool:
        return self.missed == self.calls

    @property
    def happened(self) -> str:
        """Phrase such as `failed 5 times: SMTP 451: try again later`."""
        number = "once" if self.calls == 1 else f"{self.calls:,} times"
        if self.is_timeout:
            why = f": {self.error}" if self.error != TIMED_OUT else ""
            return f"timed out {number}{why}"
        return f"failed {'silently ' if self.is_silent else ''}{number}: {self.error}"


def named_failures(groups: Iterable[FailureGroup]) -> list[NamedFailure]:
    return [
        NamedFailure(
            group.tool,
            _error(group),
            group.calls,
            group.missed,
            group.call_id,
            group.digest.hex() if group.digest else "",
            is_timeout=group.is_timeout,
        )
        for group in groups
    ]


def _error(group: FailureGroup) -> str:
    if text := masked_beginning(group.text):
        return text
    return TIMED_OUT if group.is_timeout else group.check or "no error text"


def noticed_words(failures: int, *, missed: int, unsaid: int) -> str:
    """How many failures the agent noticed, missed or did not report on."""
    if not failures:
        return "none"
    seen = failures - missed - unsaid
    words = {"noticed by the agent": seen, "missed": missed, "not reported": unsaid}
    return ", ".join(f"{number:,} {word}" for word, number in words.items() if number)


def session_doubt_words(suspected: Mapping[int, int]) -> str:
    """Sentence about outputs that look like failures but are not covered by a check."""
    number = sum(suspected.values())
    if number == 1:
        return "1 output looks like a failure, and no check covers it."
    return f"{number:,} outputs look like failures, and no check covers them." if number else ""

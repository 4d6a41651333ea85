"""Causes of a session's trouble, in words: what failed, with which error, and who noticed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from governance.core.masking import masked_beginning
from outcomes.sessions.domain.causes import FailureGroup

TIMED_OUT: Final = "timed out"


@dataclass(frozen=True, slots=True)
class NamedFailure:
    """Failures of a tool with one error."""

    tool: str
    error: str
    calls: int
    missed: int  # reported as success by the agent
    call_id: str  # newest
    group_key: str = ""  # of similar failures everywhere
    is_timeout: bool = False

    @property
    def is_silent(self) -> bool:
        return self.missed == self.calls

    @property
    def happened(self) -> str:
        """failed 5 times: SMTP 451: try again later"""
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
    """Which of the failures the agent noticed, as far as it reported."""
    if not failures:
        return "none"
    seen = failures - missed - unsaid
    words = {"noticed by the agent": seen, "missed": missed, "not reported": unsaid}
    return ", ".join(f"{number:,} {word}" for word, number in words.items() if number)

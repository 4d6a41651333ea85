"""Text in an editor: a draft, or the newest version if there is no draft."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from governance.models import Bundle, BundleVersion, Check, CheckDraft, CheckVersion, Draft

FEWEST_ROWS, MOST_ROWS = 18, 40  # of the text area; the script's editor has the same minimum

T = TypeVar("T", Bundle, Check)  # what the text belongs to
V = TypeVar("V", BundleVersion, CheckVersion)
D = TypeVar("D", Draft, CheckDraft)


@dataclass(slots=True, kw_only=True)
class Writing(Generic[T, V, D]):
    of: T | None = None  # None: a new contract or check
    newest: V | None = None
    base: V | None = None  # what the text is based on
    draft: D | None
    text: str
    seen: str  # revision of the draft shown on this page

    @property
    def number(self) -> int:
        return self.base.number if self.base else 0

    @property
    def next_number(self) -> int:
        return self.newest.number + 1 if self.newest else 1

    @property
    def kept_at(self) -> datetime | None:
        return self.draft.kept_at if self.draft else None

    @property
    def moved_on(self) -> V | None:
        """Newer version, saved since the draft was started."""
        if self.draft is None or self.newest is None or self.newest.number <= self.number:
            return None
        return self.newest


def rows_of(lines: int) -> int:
    """Height of the text area, in rows."""
    return min(max(lines, FEWEST_ROWS), MOST_ROWS)

"""Recorded results with the verdict of a draft on each, and the changes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.checks.language.matcher import Explanation
from governance.core.json_value import Json
from outcomes.suggestions.domain.shapes import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One result as it was recorded."""

    call: int
    call_id: str
    environment: str
    agent: str
    tool: str
    at: datetime
    elapsed_ms: float | None
    output: Json
    is_cut: bool = False  # the agent sent a part of the output only


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    result: Result
    shape: Shape
    explanation: Explanation | None  # none: the text cannot be asked yet
    before: str | None  # what the newest version says; none: there is none
    bound: str | None  # what the check says that judges such a call now; none: it cannot
    bound_check: str

    @property
    def verdict(self) -> str:
        return self.explanation.verdict if self.explanation else ""

    @property
    def was(self) -> str | None:
        return self.before if self.before is not None else self.bound

    @property
    def is_changed(self) -> bool:
        return self.explanation is not None and self.was is not None and self.verdict != self.was

    @property
    def is_failure(self) -> bool:
        return (self.verdict or self.was) == "failure"

    @property
    def group_key(self) -> tuple[object, ...]:
        """Equal for results that one line can stand for. What judges them now counts only where
        the line says it: where no version is compared with, or the text cannot be asked."""
        rule = self.explanation.rule if self.explanation else ""
        key = self.result.tool, self.shape.digest, self.verdict, rule, self.before
        is_current_shown = self.before is None or self.explanation is None
        return (*key, self.bound, self.bound_check) if is_current_shown else key


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """Results with the same pattern and verdicts; the newest represents them."""

    all_: tuple[Tried, ...]

    @property
    def newest(self) -> Tried:
        return self.all_[0]

    @property
    def number(self) -> int:
        return len(self.all_)

    @property
    def is_bound_equally(self) -> bool:
        """True if all of them have the same bound check and the same current verdict."""
        return len({(each.bound_check, each.bound) for each in self.all_}) == 1


def by_shape(tried: Sequence[Tried]) -> list[ResultGroup]:
    """The most frequent first; of results in the order of their time."""
    by_key: dict[tuple[object, ...], list[Tried]] = {}
    for each in tried:
        by_key.setdefault(each.group_key, []).append(each)
    groups = [ResultGroup(tuple(group)) for group in by_key.values()]
    return sorted(groups, key=lambda group: -group.number)


def shapes_in(tried: Iterable[Tried]) -> int:
    return len({each.shape.digest for each in tried})

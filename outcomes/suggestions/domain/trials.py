"""Recorded outputs with the verdict of a draft check on each, and what it would change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.checks.language.matcher import Explanation
from governance.core.json_value import Json
from outcomes.suggestions.domain.shapes import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One recorded output."""

    call: int
    call_id: str
    environment: str
    agent: str
    tool: str
    at: datetime
    elapsed_ms: float | None
    output: Json
    is_cut: bool = False  # the agent sent only part of the output


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    result: Result
    shape: Shape
    explanation: Explanation | None  # none: the draft cannot be evaluated yet
    before: str | None  # verdict of the newest version; none: there is no version
    bound: str | None  # verdict of the check that now applies to such a call; none: not checked
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
        """Key of outputs that can share a row. Their current verdict matters only if the row shows
        it: there is no version to compare with, or the draft cannot be evaluated."""
        rule = self.explanation.rule if self.explanation else ""
        key = self.result.tool, self.shape.digest, self.verdict, rule, self.before
        is_current_shown = self.before is None or self.explanation is None
        return (*key, self.bound, self.bound_check) if is_current_shown else key


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """Outputs with the same pattern and verdicts, represented by the newest."""

    all_: tuple[Tried, ...]

    @property
    def newest(self) -> Tried:
        return self.all_[0]

    @property
    def number(self) -> int:
        return len(self.all_)

    @property
    def is_bound_equally(self) -> bool:
        """Whether all have the same bound check and the same current verdict."""
        return len({(each.bound_check, each.bound) for each in self.all_}) == 1


def by_shape(tried: Sequence[Tried]) -> list[ResultGroup]:
    """Groups of outputs, most frequent first. Outputs must be sorted newest first."""
    by_key: dict[tuple[object, ...], list[Tried]] = {}
    for each in tried:
        by_key.setdefault(each.group_key, []).append(each)
    groups = [ResultGroup(tuple(group)) for group in by_key.values()]
    return sorted(groups, key=lambda group: -group.number)


def shapes_in(tried: Iterable[Tried]) -> int:
    return len({each.shape.digest for each in tried})

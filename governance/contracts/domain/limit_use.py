"""How the calls of a session use up its limits, and whether a limit was hit early or late."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from governance.core.session_limits import (
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
    SessionLimit,
)


class LimitJudgement(StrEnum):
    PREMATURE = "premature"
    DELAYED = "delayed"
    RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitUse:
    """Use of one limit by every way of counting: three for executions, one for attempts."""

    limit: SessionLimit
    used: dict[str, int]
    reached_at: dict[str, int | None]
    stopped_at: int | None
    judgement: LimitJudgement | None
    checked: bool  # at least one counted call has a classified verdict

    def as_json(self) -> dict[str, Any]:
        return {
            "limit": self.limit.kind,
            "tool": self.limit.tool,
            "value": self.limit.value,
            "used": self.used,
            "reached_at": self.reached_at,
            "stopped_at": self.stopped_at,
            "judgement": self.judgement,
            "assumed": self.limit.assumed,
        }


class LimitCounter:
    """Counts the calls of one session against one limit, in their order."""

    __slots__ = (
        "at_classified",
        "at_counted",
        "at_reported",
        "checked",
        "classified",
        "counted",
        "last",
        "limit",
        "reported",
        "stopped_at",
    )
    _COUNTERS = tuple(name for name in __slots__ if name != "limit")

    def __init__(self, limit: SessionLimit) -> None:
        self.limit = limit
        self.counted = self.reported = self.classified = self.last = 0
        self.at_counted: int | None = None
        self.at_reported: int | None = None
        self.at_classified: int | None = None
        self.stopped_at: int | None = None
        self.checked = False

    def count(
        self,
        number: int,
        *,
        reported: bool = False,
        classified: bool = False,
        checked: bool = False,
    ) -> None:
        """Count the call with this number; the flags say by which counts it is a success."""
        value = self.limit.value
        self.last = number
        self.counted += 1
        if self.counted == value:
            self.at_counted = number
        if reported:
            self.reported += 1
            if self.reported == value:
                self.at_reported = number
        if classified:
            self.classified += 1
            if self.classified == value:
                self.at_classified = number
        if checked:
            self.checked = True

    def stop(self, number: int) -> None:
        if self.stopped_at is None:
            self.stopped_at = number

    def use(self) -> LimitUse:
        on_attempts = isinstance(self.limit, MaxAttempts)
        used = {"attempts": self.counted}
        reached_at = {"attempts": self.at_counted}
        if not on_attempts:
            used = {
                "executions": self.counted,
                "reported": self.reported,
                "classified": self.classified,
            }
            reached_at = {
                "executions": self.at_counted,
                "reported": self.at_reported,
                "classified": self.at_classified,
            }
        return LimitUse(
            limit=self.limit,
            used=used,
            reached_at=reached_at,
            stopped_at=self.stopped_at,
            judgement=None if on_attempts else self._judgement(),
            checked=self.checked,
        )

    def _judgement(self) -> LimitJudgement | None:
        reached = (self.at_counted, self.at_reported, self.at_classified)
        stopped, due = self.stopped_at, self.at_classified
        if not self.checked or (stopped is None and reached == (None, None, None)):
            return None
        if stopped is not None and (due is None or due > stopped):
            return LimitJudgement.PREMATURE
        if due is not None and self.last > due:
            return LimitJudgement.DELAYED
        return LimitJudgement.RIGHT

    def state(self) -> list[int | bool | None]:
        return [getattr(self, name) for name in self._COUNTERS]

    def resume(self, state: Sequence[int | bool | None]) -> None:
        for name, value in zip(self._COUNTERS, state, strict=True):
            setattr(self, name, value)


def limit_denying(
    counters: Iterable[LimitCounter], rule: str | None, tool: str
) -> LimitCounter | None:
    """The limit that denied a call of this tool, if known. Counters must be in the SDK's order."""
    counters = list(counters)
    named = [counter for counter in counters if rule in _names(counter.limit)]
    if len(named) == 1:
        return named[0]
    # A rule shows the same message for each of its limits, so its id may not identify one.
    eligible = [counter for counter in named or counters if counter.limit.tool in (None, tool)]
    for counter in eligible:
        if counter.at_counted is not None:
            return counter
    # An assumed limit that is far from hit explains nothing: the agent had one that we don't know.
    stated = [counter for counter in eligible if not counter.limit.assumed]
    for kind in (MaxExecutions, MaxExecutionsOfTool, MaxAttempts):
        for counter in stated:
            if isinstance(counter.limit, kind):
                return counter
    return None


def _names(limit: SessionLimit) -> tuple[str, ...]:
    """Ids of the rules that set the limit, and the SDKs' own name for it."""
    own = limit.kind if limit.tool is None else f"{limit.kind}:{limit.tool}"
    return (*limit.rule_ids, own)

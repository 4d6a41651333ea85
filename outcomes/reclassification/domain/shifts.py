"""Effect of changed verdicts on session limits that count successes.

If failures become successes, a limit counted by successes is hit earlier. If successes become
failures, it is hit later or never."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Self

from governance.contracts.domain.limit_use import LimitUse
from governance.core.session_limits import MaxAttempts, SessionLimit
from governance.core.verdict import Verdict
from outcomes.record.session_step import Step
from outcomes.sessions.domain.session import SessionTally

LIMITS: Final = 100  # limits with their own row
SAMPLES: Final = 10  # per shift
CLASSIFIED: Final = "classified"


class Shift(StrEnum):
    NEWLY = "newly"  # not hit before, hit now
    EARLIER = "earlier"
    LATER = "later"
    NO_MORE = "no_more"


def shift_of(before: int | None, after: int | None) -> Shift | None:
    """Shift between the numbers of the calls that hit the limit, or None if they are equal."""
    if before == after:
        return None
    if before is None:
        return Shift.NEWLY
    if after is None:
        return Shift.NO_MORE
    return Shift.EARLIER if after < before else Shift.LATER


class Readings:
    """Tallies of one session, with its current and with the changed verdicts, in one pass."""

    def __init__(self, limits: tuple[SessionLimit, ...]) -> None:
        on_executions = tuple(each for each in limits if not isinstance(each, MaxAttempts))
        self._before, self._after = SessionTally(on_executions), SessionTally(on_executions)
        self.flips = 0

    def advance(self, step: Step, after: Verdict | None, *, checked: bool) -> None:
        self._before.advance(step)
        if after == step.verdict:
            self._after.advance(step)
            return
        self.flips += 1
        self._after.advance(replace(step, verdict=after, checked=checked))

    def shifts(self) -> Iterator[tuple[SessionLimit, int | None, int | None]]:
        if not self.flips:
            return
        for before, after in zip(self._before.limits(), self._after.limits(), strict=True):
            yield before.limit, _reached(before), _reached(after)


def _reached(use: LimitUse) -> int | None:
    return use.reached_at.get(CLASSIFIED)


@dataclass(slots=True)
class Shifts:
    sessions: int = 0  # with at least one flipped verdict
    by_limit: list[dict[str, Any]] = field(default_factory=list)

    def end_session(self, environment: str, session: str, readings: Readings) -> None:
        if not readings.flips:
            return
        self.sessions += 1
        for limit, before, after in readings.shifts():
            shift = shift_of(before, after)
            row = self._row(limit) if shift else None
            if row is None or shift is None:
                continue
            row[shift] += 1
            samples = row["samples"].setdefault(shift.value, [])
            if len(samples) < SAMPLES:
                place = {"environment": environment, "session": session}
                samples.append({**place, "before": before, "after": after})

    def _row(self, limit: SessionLimit) -> dict[str, Any] | None:
        named = {
            "limit": limit.kind,
            "tool": limit.tool,
            "value": limit.value,
            "assumed": limit.assumed,
        }
        for row in self.by_limit:
            if named.items() <= row.items():
                return row
        if len(self.by_limit) >= LIMITS:
            return None
        self.by_limit.append(named | dict.fromkeys([*Shift], 0) | {"samples": {}})
        return self.by_limit[-1]

    def as_json(self) -> dict[str, Any]:
        return {"sessions": self.sessions, "by_limit": self.by_limit}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        shifts = cls()
        if stored:
            shifts.merge(stored)
        return shifts

    def merge(self, other: Mapping[str, Any]) -> None:
        self.sessions += other["sessions"]
        names = ("limit", "tool", "value", "assumed")
        for row in other["by_limit"]:
            mine = next(
                (each for each in self.by_limit if all(each[n] == row[n] for n in names)), None
            )
            if mine is None:
                if len(self.by_limit) < LIMITS:
                    self.by_limit.append(row)
                continue
            for shift in Shift:
                mine[shift] += row[shift]
            for shift, samples in row["samples"].items():
                sampled = mine["samples"].setdefault(shift, [])
                sampled += samples[: SAMPLES - len(sampled)]

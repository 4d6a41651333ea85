"""Counts of verdicts that flip under another check, in bounded memory for any number of calls.

Parts are counted in parallel and merged; their order doesn't matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Self

from governance.core.verdict import Verdict

NAMES: Final = 500  # tools and rules with their own row
SAMPLES: Final = 20  # per kind of change
SAMPLES_OF_RULE: Final = 3  # of these, per tool and rule
OTHERS: Final = "(others)"
REPORTED: Final = "(reported by the agent)"
VERDICTS: Final = tuple(verdict.value for verdict in Verdict)


class Flip(StrEnum):
    NEWLY_FAILED = "newly_failed"  # success before, failure after
    NEWLY_SUCCEEDED = "newly_succeeded"
    OTHERWISE = "otherwise_changed"  # to unknown, or from it
    UNCHANGED = "unchanged"


def flip_of(before: Verdict, after: Verdict) -> Flip:
    match before, after:
        case _ if before == after:
            return Flip.UNCHANGED
        case Verdict.SUCCESS, Verdict.FAILURE:
            return Flip.NEWLY_FAILED
        case Verdict.FAILURE, Verdict.SUCCESS:
            return Flip.NEWLY_SUCCEEDED
        case _:
            return Flip.OTHERWISE


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """Verdict of one call that ran: the current one, and the one by the other check."""

    before: Verdict
    after: Verdict
    check: str = ""  # check that decided; empty if none applies: a timeout, a failure
    rule: str = ""
    not_checked: str = ""  # why no check could run
    by_agent: bool = False  # the agent's verdict counts, whatever the check decides
    cut: bool = False  # the check's verdict depends on text beyond the part that was read


@dataclass(frozen=True, slots=True)
class CallSummary:
    """A call as listed in results."""

    call_id: str
    environment: str
    session: str
    tool: str
    agent: str
    at: datetime


@dataclass(slots=True)
class Flips:
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys([*Flip], 0))
    judged: int = 0  # decided by the check; other calls that ran need none
    not_checked: dict[str, int] = field(default_factory=dict)
    by_tool: dict[str, dict[str, int]] = field(default_factory=dict)
    by_rule: dict[str, dict[str, int]] = field(default_factory=dict)
    samples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """All selected calls that ran."""
        return sum(self.counts.values())

    @property
    def flipped(self) -> int:
        return self.calls - self.counts[Flip.UNCHANGED]

    def add(self, call: CallSummary, change: VerdictChange) -> Flip:
        flip = flip_of(change.before, change.after)
        self.counts[flip] += 1
        tool = _row(self.by_tool, call.tool, _OF_A_TOOL)
        tool[flip] += 1
        tool[f"before_{change.before}"] += 1
        tool[f"after_{change.after}"] += 1
        if change.check:
            self.judged += 1
            name = REPORTED if change.by_agent else f"{change.check}: {change.rule}"
            rule = _row(self.by_rule, name, _OF_A_RULE)
            rule["judged"] += 1
            rule[flip] += 1
        elif change.not_checked:
            _count(self.not_checked, change.not_checked, 1)
        if flip != Flip.UNCHANGED:
            self._keep(flip, call, change)
        return flip

    def _keep(self, flip: Flip, call: CallSummary, change: VerdictChange) -> None:
        samples = self.samples.setdefault(flip, [])
        same_rule = sum(
            each["tool"] == call.tool and each["rule"] == change.rule for each in samples
        )
        if len(samples) < SAMPLES and same_rule < SAMPLES_OF_RULE:
            samples.append(
                {
                    "call_id": call.call_id,
                    "environment": call.environment,
                    "session": call.session,
                    "tool": call.tool,
                    "agent": call.agent,
                    "at": call.at.isoformat(),
                    "before": change.before.value,
                    "after": change.after.value,
                    "rule": "" if change.by_agent else change.rule,
                    "cut": change.cut,
                }
            )

    def as_json(self) -> dict[str, Any]:
        return {
            "counts": dict(self.counts),
            "judged": self.judged,
            "not_checked": dict(self.not_checked),
            "by_tool": self.by_tool,
            "by_rule": self.by_rule,
            "samples": self.samples,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Counts of an interrupted part, restored to continue it."""
        flips = cls()
        if stored:
            flips.merge(stored)
        return flips

    def merge(self, other: Mapping[str, Any]) -> None:
        for name, number in other["counts"].items():
            self.counts[name] += number
        self.judged += other["judged"]
        for reason, number in other["not_checked"].items():
            _count(self.not_checked, reason, number)
        for mine, rows, columns in (
            (self.by_tool, other["by_tool"], _OF_A_TOOL),
            (self.by_rule, other["by_rule"], _OF_A_RULE),
        ):
            for name, row in rows.items():
                sums = _row(mine, name, columns)
                for column, number in row.items():
                    sums[column] += number
        for flip, stored in other["samples"].items():
            sampled = self.samples.setdefault(flip, [])
            sampled += stored[: SAMPLES - len(sampled)]


_OF_A_TOOL: Final = dict.fromkeys(
    [*Flip, *(f"{when}_{verdict}" for when in ("before", "after") for verdict in VERDICTS)], 0
)
_OF_A_RULE: Final = dict.fromkeys(["judged", *Flip], 0)


def _row(rows: dict[str, dict[str, int]], name: str, columns: dict[str, int]) -> dict[str, int]:
    row = rows.get(name)
    if row is None:
        if len(rows) >= NAMES:
            name = OTHERS
        row = rows.setdefault(name, dict(columns))
    return row


def _count(counts: dict[str, int], name: str, number: int) -> None:
    if name not in counts and len(counts) >= NAMES:
        name = OTHERS
    counts[name] = counts.get(name, 0) + number

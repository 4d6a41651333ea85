"""Sentences and tables of impact previews and reclassifications."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from governance.core.figures import counted
from governance.core.verdict import Verdict
from governance.core.wilson import wilson
from outcomes.backtesting.words import limit_name
from outcomes.models import Rejudging
from outcomes.reclassification.domain.flips import Flip
from outcomes.reclassification.domain.shifts import Shift

SHOWN_ROWS: Final = 12  # per table
FIGURES: Final = {
    Flip.NEWLY_FAILED: "Success → failure",
    Flip.NEWLY_SUCCEEDED: "Failure → success",
    Flip.OTHERWISE: "To or from unknown",
    Flip.UNCHANGED: "Unchanged",
}
SHIFTS: Final = {
    Shift.EARLIER: "earlier",
    Shift.LATER: "later",
    Shift.NEWLY: "newly",
    Shift.NO_MORE: "no longer",
}


@dataclass(frozen=True, slots=True)
class Rate:
    successes: int
    failures: int

    @property
    def of(self) -> int:
        return self.successes + self.failures

    @property
    def rate(self) -> float | None:
        return self.successes / self.of if self.of else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        return wilson(self.successes, self.of) if self.of else None


@dataclass(frozen=True, slots=True)
class ToolLine:
    name: str
    before: Rate
    after: Rate
    newly_failed: int
    newly_succeeded: int
    otherwise: int
    calls: int

    @property
    def flipped(self) -> int:
        return self.newly_failed + self.newly_succeeded + self.otherwise


@dataclass(frozen=True, slots=True)
class RuleLine:
    check: str
    rule: str
    judged: int
    newly_failed: int
    newly_succeeded: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class ShiftLine:
    name: str
    assumed: bool
    counts: list[tuple[str, int]]
    samples: list[dict[str, Any]]


def sentence(rejudging: Rejudging, counts: dict[str, int]) -> str:
    """Headline of a job: its result, or its progress."""
    match rejudging.status:
        case Rejudging.Status.QUEUED:
            return "Queued"
        case Rejudging.Status.RUNNING:
            return f"{int(rejudging.progress * 100)} % done: {_changes(rejudging, counts)}"
        case Rejudging.Status.CANCELLED:
            return f"Cancelled after {rejudging.passed:,} of {rejudging.total:,} calls"
        case Rejudging.Status.FAILED:
            return "Did not finish"
        case _ if not sum(counts.values()):
            return "No calls to check"
        case _:
            return _changes(rejudging, counts)


def _changes(rejudging: Rejudging, counts: dict[str, int]) -> str:
    """Changed verdicts in words: 1,480 of 4,212 calls would change to failure, 3 to success"""
    is_done = rejudging.kind == Rejudging.Kind.RECLASSIFICATION
    verb = "changed" if is_done else "would change"
    calls = counted(sum(counts.values()), "call")
    parts = [
        (counts[Flip.NEWLY_FAILED], "to failure"),
        (counts[Flip.NEWLY_SUCCEEDED], "to success"),
        (counts[Flip.OTHERWISE], "to or from unknown"),
    ]
    changed = [(number, where) for number, where in parts if number]
    if not changed:
        return f"No verdicts {verb} for {calls}"
    (number, where), *others = changed
    more = "".join(f", {many:,} {there}" for many, there in others)
    return f"{number:,} of {calls} {verb} {where}{more}"


def counts_in_list(counts: dict[str, int] | None) -> tuple[int | None, int | None]:
    """Numbers of checked calls and of changed verdicts; None while the job runs."""
    if counts is None:
        return None, None
    calls = sum(counts.values())
    return calls, calls - counts[Flip.UNCHANGED]


def tools(rows: dict[str, dict[str, int]]) -> list[ToolLine]:
    """Table rows by tool, most changed verdicts first."""
    lines = [
        ToolLine(
            name,
            _rate(row, "before"),
            _rate(row, "after"),
            row[Flip.NEWLY_FAILED],
            row[Flip.NEWLY_SUCCEEDED],
            row[Flip.OTHERWISE],
            sum(row[flip] for flip in Flip),
        )
        for name, row in rows.items()
    ]
    return sorted(lines, key=lambda line: (-line.flipped, -line.calls, line.name))


def _rate(row: dict[str, int], when: str) -> Rate:
    return Rate(row[f"{when}_{Verdict.SUCCESS}"], row[f"{when}_{Verdict.FAILURE}"])


def rules(rows: dict[str, dict[str, int]]) -> list[RuleLine]:
    lines = []
    for name, row in rows.items():
        check, _, rule = name.partition(": ")
        flipped = (row[Flip.NEWLY_FAILED], row[Flip.NEWLY_SUCCEEDED], row[Flip.OTHERWISE])
        lines.append(RuleLine(check, rule or name, row["judged"], *flipped))
    return sorted(
        lines,
        key=lambda line: (
            -(line.newly_failed + line.newly_succeeded + line.otherwise),
            -line.judged,
            line.rule,
        ),
    )


def shifts(result: dict[str, Any]) -> list[ShiftLine]:
    """Limits that sessions would hit at a different call, most sessions first."""
    lines = []
    for row in result["by_limit"]:
        samples = [sample for shift in SHIFTS for sample in row["samples"].get(shift, [])]
        counts = [(words, row[shift]) for shift, words in SHIFTS.items() if row[shift]]
        lines.append(ShiftLine(limit_name(row), row["assumed"], counts, samples))
    return sorted(lines, key=lambda line: -sum(number for _, number in line.counts))


def samples(by_flip: dict[str, list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for flip, words in FIGURES.items():
        for sample in by_flip.get(flip, []):
            yield (
                {"cut": False}
                | sample
                | {
                    "flip": flip.value,
                    "word": words,
                    "at": datetime.fromisoformat(sample["at"]),
                }
            )


def _filter_words(name: str, value: Any) -> str:
    match name:
        case "disagreement":
            return f"{'with' if value else 'without'} a disagreement"
        case _:
            return f"{name} `{value}`"


def scope_words(rejudging: Rejudging) -> str:
    """Selected calls, such as: calls in production bound to `mine`, agents …, tools …"""
    where = rejudging.environment.name if rejudging.environment else "all environments"
    words = f"calls in {where}"
    if rejudging.kind == Rejudging.Kind.CHECK_BACKTEST:
        is_bound = rejudging.scope == Rejudging.Scope.BOUND
        words += f"{' bound' if is_bound else ', as if bound'} to `{rejudging.check_name}`"
    parts = [words]
    if rejudging.agents:
        parts.append("agents " + ", ".join(f"`{name}`" for name in rejudging.agents))
    if rejudging.tools:
        parts.append("tools " + ", ".join(f"`{name}`" for name in rejudging.tools))
    parts += [_filter_words(name, value) for name, value in rejudging.filters.items()]
    return ", ".join(parts)

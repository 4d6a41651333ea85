"""Figures of calls: outcomes, success rate, durations."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from governance.core.verdict import Verdict
from governance.core.wilson import wilson
from outcomes.core.durations import percentile
from outcomes.record.outcome import ToolArtifactReference, ToolDenied, ToolExecutionResult

Became = tuple[str, str, str]  # kind, verdict, and the beginning of a denial's reason


_SUCCESS, _FAILURE, _UNKNOWN = Verdict.SUCCESS.value, Verdict.FAILURE.value, Verdict.UNKNOWN.value
_DENIED: Final = ToolDenied.kind
_WITH_RESULT: Final = (ToolExecutionResult.kind, ToolArtifactReference.kind)
_OPEN: Final = ""  # stored kind of a call without an outcome


def lowest_rate(now: "Figures", suspected: int) -> float | None:
    """Success rate if every suspected failure is a real one."""
    return max(now.successes - suspected, 0) / now.judged if now.judged else None


def is_below(now: "Figures", target: float | None) -> bool:
    """Whether even the upper bound of the success rate is below the target."""
    return target is not None and now.bounds is not None and now.bounds[1] < target


def _no_calls() -> Any:
    # Some pages have thousands of figures; a Counter takes ten times as long to create.
    return defaultdict(int)


@dataclass(slots=True)
class Figures:
    counts: dict[Became, int] = field(default_factory=_no_calls)
    differing: dict[Became, int] = field(default_factory=_no_calls)  # disagreements among counts
    unchecked: dict[Became, int] = field(default_factory=_no_calls)  # unchecked calls among counts
    durations: dict[int, int] = field(default_factory=_no_calls)  # by bucket, if requested

    def add(
        self, became: Became, calls: int, disagreements: int = 0, *, unchecked: bool = False
    ) -> None:
        self.counts[became] += calls
        if disagreements:
            self.differing[became] += disagreements
        if unchecked:
            self.unchecked[became] += calls

    def __bool__(self) -> bool:
        return any(self.counts.values())

    @property
    def calls(self) -> int:
        """All calls, denied and open ones included."""
        return sum(self.counts.values())

    def with_outcome(self, *kinds: str) -> int:
        """Calls with these outcome types; empty: open."""
        return sum(calls for (kind, _, _), calls in self.counts.items() if kind in kinds)

    @property
    def by_reason(self) -> "dict[str, Figures]":
        """Figures of the denied calls, by reason."""
        figures: defaultdict[str, Figures] = defaultdict(Figures)
        for became, calls in self.counts.items():
            kind, _, reason = became
            if kind == _DENIED and calls:
                figures[reason].add(became, calls, self.differing.get(became, 0))
        return dict(figures)

    @property
    def successes(self) -> int:
        return self._with_verdict(_SUCCESS)

    @property
    def failures(self) -> int:
        return self._with_verdict(_FAILURE)

    @property
    def unknown(self) -> int:
        return self._with_verdict(_UNKNOWN)

    @property
    def ran(self) -> int:
        return sum(calls for (_, verdict, _), calls in self.counts.items() if verdict)

    @property
    def ran_and_failed(self) -> int:
        """Calls that returned a result but failed."""
        return sum(
            calls
            for (kind, verdict, _), calls in self.counts.items()
            if kind in _WITH_RESULT and verdict == _FAILURE
        )

    @property
    def returned(self) -> int:
        """Calls that returned an output, whether or not the agent sent it."""
        return self.with_outcome(*_WITH_RESULT)

    @property
    def with_output(self) -> int:
        """Calls whose output was sent and checked."""
        return self.returned - sum(self.unchecked.values())

    @property
    def unchecked_successes(self) -> int:
        """Successes that only the agent reported."""
        return sum(
            calls for (_, verdict, _), calls in self.unchecked.items() if verdict == _SUCCESS
        )

    @property
    def is_unchecked(self) -> bool:
        """Whether calls returned but no output arrived, so nothing was checked."""
        return self.returned > 0 and not self.with_output

    @property
    def denied(self) -> int:
        return self.with_outcome(_DENIED)

    @property
    def open(self) -> int:
        return self.with_outcome(_OPEN)

    @property
    def judged(self) -> int:
        """Successes and failures: the calls that the success rate is based on."""
        return sum(self._judged())

    @property
    def disagreements(self) -> int:
        return sum(self.differing.values())

    @property
    def agent_only_success(self) -> int:
        """Disagreements in which the check says failure."""
        return self._differing_with(_FAILURE)

    @property
    def agent_only_failure(self) -> int:
        return self._differing_with(_SUCCESS)

    @property
    def rate(self) -> float | None:
        successes, failures = self._judged()
        judged = successes + failures
        return successes / judged if judged else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The 95 % Wilson interval of the success rate."""
        successes, failures = self._judged()
        judged = successes + failures
        return wilson(successes, judged) if judged else None

    def worst_first(self, suspected: int = 0) -> tuple[float, float, int]:
        """Sort key: the upper bound of the success rate if every suspected failure is a real one.
        Figures without a verdict come last."""
        successes, failures = self._judged()
        of = successes + failures
        bounds = wilson(max(successes - suspected, 0), of) if of else None
        return (bounds[1], bounds[0], -self.judged) if bounds else (2.0, 2.0, -self.calls)

    @property
    def measured(self) -> int:
        """Number of calls that the percentiles are based on."""
        return sum(self.durations.values())

    @property
    def p50_ms(self) -> float | None:
        return percentile(self.durations, 50)

    @property
    def p95_ms(self) -> float | None:
        return percentile(self.durations, 95)

    @property
    def p99_ms(self) -> float | None:
        return percentile(self.durations, 99)

    def _judged(self) -> tuple[int, int]:
        """Successes and failures in one pass: charts of many series need nothing else."""
        successes = failures = 0
        for (_, verdict, _), calls in self.counts.items():
            if verdict == _SUCCESS:
                successes += calls
            elif verdict == _FAILURE:
                failures += calls
        return successes, failures

    def _with_verdict(self, name: str) -> int:
        return sum(calls for (_, verdict, _), calls in self.counts.items() if verdict == name)

    def _differing_with(self, verdict: str) -> int:
        return sum(number for became, number in self.differing.items() if became[1] == verdict)

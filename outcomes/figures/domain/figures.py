"""What some calls add up to: what became of them, their rate of success, how long they took."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from governance.core.verdict import Verdict
from governance.core.wilson import wilson
from outcomes.core.durations import percentile
from outcomes.record.outcome import ToolArtifactReference, ToolDenied, ToolExecutionResult

Became = tuple[str, str, str]  # kind, verdict, and how a denial's reason begins


_SUCCESS, _FAILURE, _UNKNOWN = Verdict.SUCCESS.value, Verdict.FAILURE.value, Verdict.UNKNOWN.value
_DENIED: Final = ToolDenied.kind
_WITH_RESULT: Final = (ToolExecutionResult.kind, ToolArtifactReference.kind)
_OPEN: Final = ""  # the kind of a call without an outcome, as it is stored


def _no_calls() -> Any:
    # There are thousands of figures on some pages; a Counter takes ten times as long to make.
    return defaultdict(int)


@dataclass(slots=True)
class Figures:
    counts: dict[Became, int] = field(default_factory=_no_calls)
    differing: dict[Became, int] = field(default_factory=_no_calls)  # of these, disagreements
    durations: dict[int, int] = field(default_factory=_no_calls)  # by bucket, where asked for

    def add(self, became: Became, calls: int, disagreements: int = 0) -> None:
        self.counts[became] += calls
        if disagreements:
            self.differing[became] += disagreements

    def __bool__(self) -> bool:
        return any(self.counts.values())

    @property
    def calls(self) -> int:
        """All of them, denied and open ones included."""
        return sum(self.counts.values())

    def of_kind(self, *kinds: str) -> int:
        """By the type of the outcome; empty: open."""
        return sum(calls for (kind, _, _), calls in self.counts.items() if kind in kinds)

    @property
    def by_reason(self) -> "dict[str, Figures]":
        """Of the denied calls."""
        found: defaultdict[str, Figures] = defaultdict(Figures)
        for became, calls in self.counts.items():
            kind, _, reason = became
            if kind == _DENIED and calls:
                found[reason].add(became, calls, self.differing.get(became, 0))
        return dict(found)

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
        """What came back looked like a result, and is a failure."""
        return sum(
            calls
            for (kind, verdict, _), calls in self.counts.items()
            if kind in _WITH_RESULT and verdict == _FAILURE
        )

    @property
    def denied(self) -> int:
        return self.of_kind(_DENIED)

    @property
    def open(self) -> int:
        return self.of_kind(_OPEN)

    @property
    def judged(self) -> int:
        """What a rate is of: successes and failures."""
        return sum(self._judged())

    @property
    def disagreements(self) -> int:
        return sum(self.differing.values())

    @property
    def agent_said_success(self) -> int:
        """Disagreements in which the check says failure."""
        return self._differing_with(_FAILURE)

    @property
    def agent_said_failure(self) -> int:
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

    @property
    def worst_first(self) -> tuple[float, float, int]:
        """To sort by: the upper bound of the success rate; what was never judged comes last."""
        bounds = self.bounds
        return (bounds[1], bounds[0], -self.judged) if bounds else (2.0, 2.0, -self.calls)

    @property
    def measured(self) -> int:
        """How many calls the percentiles are of."""
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
        """Successes and failures; a chart of many asks for nothing else."""
        successes = failures = 0
        for (_, verdict, _), calls in self.counts.items():
            if verdict == _SUCCESS:
                successes += calls
            elif verdict == _FAILURE:
                failures += calls
        return successes, failures

    def _with_verdict(self, wanted: str) -> int:
        return sum(calls for (_, verdict, _), calls in self.counts.items() if verdict == wanted)

    def _differing_with(self, verdict: str) -> int:
        return sum(number for became, number in self.differing.items() if became[1] == verdict)

"""Results of the doctor's checks, as text and as JSON. Doesn't import Django, so that an invalid
setting can be reported too."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Result:
    check: str
    state: State
    detail: str
    advice: str = ""  # next step; empty if none is needed


def ok(check: str, detail: str) -> Result:
    return Result(check, State.OK, detail)


def warning(check: str, detail: str, advice: str) -> Result:
    return Result(check, State.WARNING, detail, advice)


def problem(check: str, detail: str, advice: str) -> Result:
    return Result(check, State.PROBLEM, detail, advice)


def exit_code(results: Iterable[Result]) -> int:
    return int(any(each.state is State.PROBLEM for each in results))


def report_setting(sentence: str, *, is_json: bool) -> int:
    """Print the single result for invalid settings, and return the exit code."""
    results = [problem("configuration", sentence, "Fix the variable, then run it again.")]
    sys.stdout.write(f"{as_json(results) if is_json else as_text(results)}\n")
    return exit_code(results)


def as_json(results: Sequence[Result]) -> str:
    counts = {state.value: sum(each.state is state for each in results) for state in State}
    return json.dumps({"counts": counts, "checks": [asdict(each) for each in results]}, indent=1)


def as_text(results: Iterable[Result]) -> str:
    return "\n".join(line for each in results for line in _lines(each))


def _lines(result: Result) -> Iterable[str]:
    yield f"{result.state:<8} {result.check:<14} {result.detail}"
    if result.advice:
        yield f"{'':<23} → {result.advice}"

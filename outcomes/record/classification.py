"""Whether a call succeeded, as a check says."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final, NoReturn, assert_never

from governance.checks.domain import DEFAULT, OTHERWISE, Judgement, SuccessCheck
from governance.core.json_value import Json
from governance.core.verdict import Verdict
from outcomes.record.call import Call
from outcomes.record.outcome import (
    NotReported,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)

_HALF_A_CHARACTER: Final = re.compile(rb"\\u[dD][89a-fA-F]")  # or one of a pair
CHECKED_LIMIT: Final = 16 * 1024 * 1024
LONGEST_REASON: Final = 500
PART_RULE: Final = "output-cut"
PART: Final = "The agent sent only part of the output."


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """A verdict and where it comes from. No check is asked about a timeout or a failure."""

    verdict: Verdict
    check: str | None = None
    version: int | None = None
    rule: str | None = None
    value: Json = None
    reason: str = ""
    labels: tuple[str, ...] = ()
    cut: bool = False  # it depends on text that the check did not read


@dataclass(frozen=True, slots=True)
class NotChecked:
    """There is an output to judge, but it cannot be read here."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    reason: str
    is_fault: bool = False  # of the store, so no evidence about the call: its verdict stays


STORED_BY_AGENT: Final = Unreadable("The output is kept by the agent.")
TOO_LARGE: Final = Unreadable("The output is larger than 16 MiB.")

ReadArtifact = Callable[[str], Json | Unreadable]

_FAILED: Final = Classification(verdict=Verdict.FAILURE)


def classify(
    call: Call, check: SuccessCheck, read: ReadArtifact
) -> Classification | NotChecked | None:
    """None when there is nothing to judge: the call is open, was denied, or came without output."""
    match call.outcome:
        case ToolExecutionResult(tool_name=tool, output=output):
            if isinstance(output, NotReported):
                return None
            classified = judged_by(check, tool, output, call.elapsed_ms)
            return in_doubt(classified) if cut_by_agent(call.metadata) else classified
        case ToolTimeout() | ToolFailure():
            return _FAILED
        case ToolArtifactReference(tool_name=tool, artifact_id=artifact):
            stored = read(artifact)
            if isinstance(stored, Unreadable):
                return NotChecked(stored.reason)
            classified = judged_by(check, tool, stored, call.elapsed_ms)
            return in_doubt(classified) if cut_by_agent(call.metadata) else classified
        case ToolDenied() | None:
            return None
        case _ as never:
            assert_never(never)


def judged_by(
    check: SuccessCheck, tool: str, output: Json, elapsed_ms: float | None
) -> Classification | NotChecked:
    try:
        judgement = check.judge(tool, output, elapsed_ms)
    except Exception as error:  # noqa: BLE001 - one check must not hold up everybody's calls
        return NotChecked(_why(check, error))
    if judgement is OTHERWISE and check is DEFAULT:
        return USUAL
    return _classification(check, judgement)


def cut_by_agent(metadata: Mapping[str, Any] | None) -> bool:
    """Whether the agent sent a part of the output only, as it says in `metadata.output_cut`."""
    return metadata is not None and metadata.get("output_cut") is True


def in_doubt(classified: Classification | NotChecked) -> Classification | NotChecked:
    """A verdict on a part of an output: what was found in it is found, but it is no success."""
    if isinstance(classified, NotChecked):
        return classified
    if classified.verdict is not Verdict.SUCCESS:
        return replace(classified, cut=True)
    return replace(
        classified,
        verdict=Verdict.UNKNOWN,
        rule=PART_RULE,
        value=None,
        reason=PART,
        labels=(),
        cut=True,
    )


def _classification(check: SuccessCheck, judgement: Judgement) -> Classification:
    return Classification(
        verdict=judgement.verdict,
        check=check.name,
        version=check.version,
        rule=judgement.rule,
        value=judgement.value,
        reason=judgement.reason,
        labels=judgement.labels,
        cut=judgement.cut,
    )


# Of nearly every call: this is made once.
USUAL: Final = _classification(DEFAULT, OTHERWISE)


def _why(check: SuccessCheck, error: Exception) -> str:
    text = str(error) or type(error).__name__
    return f"The check {check.name} could not be evaluated: {text}"[:LONGEST_REASON]


def artifact_value(content: bytes, media_type: str) -> Json | Unreadable:
    """Value of a stored artifact for a check: parsed when it is JSON, else its text."""
    if len(content) > CHECKED_LIMIT:
        return TOO_LARGE
    if media_type.partition(";")[0].strip().lower() != "application/json":
        return content.decode(errors="replace")
    try:
        value: Json = json.loads(content, parse_constant=_refuse, parse_float=_finite)
        if _HALF_A_CHARACTER.search(content):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return Unreadable("The stored output is not valid JSON.")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    number = float(digits)
    return number if isfinite(number) else _refuse(digits)

"""Classification: the verdict that a success check gives a call."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final, Literal, NamedTuple, NoReturn, assert_never

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

_HALF_A_CHARACTER: Final = re.compile(rb"\\u[dD][89a-fA-F]")  # a surrogate, alone or in a pair
CHECKED_LIMIT: Final = 16 * 1024 * 1024
LONGEST_REASON: Final = 500
PART_RULE: Final = "output-cut"
PART: Final = "The agent sent only part of the output."
MASKED_RULE: Final = "output-masked"
MASKED: Final = "The check looked at a value that was masked before it was stored."
MASKED_LABEL: Final = "masked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """Verdict and its source. Timeouts and failures count as failure without a check."""

    verdict: Verdict
    check: str | None = None
    version: int | None = None
    rule: str | None = None
    value: Json = None
    reason: str = ""
    labels: tuple[str, ...] = ()
    cut: bool = False  # the verdict depends on text that the check did not read


@dataclass(frozen=True, slots=True)
class NotChecked:
    """The call has an output to check, but it cannot be read here."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    reason: str
    is_fault: bool = False  # store error, not evidence about the call: the verdict stays


STORED_BY_AGENT: Final = Unreadable("The output is stored by the agent.")
TOO_LARGE: Final = Unreadable("The output is larger than 16 MiB.")

ReadArtifact = Callable[[str], Json | Unreadable]

_FAILED: Final = Classification(verdict=Verdict.FAILURE)


def classify(
    call: Call, check: SuccessCheck, read: ReadArtifact
) -> Classification | NotChecked | None:
    """Classify a call. None if there is nothing to check: it is open, denied or has no output."""
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
    classified = _classification(check, judgement)
    return _in_doubt_over_masks(classified) if judgement.masked else classified


def _in_doubt_over_masks(classified: Classification) -> Classification:
    """Verdict on a masked value: success becomes unknown; others stay and are marked as cut."""
    labels = (*classified.labels, MASKED_LABEL)
    if classified.verdict is not Verdict.SUCCESS:
        return replace(classified, labels=labels, cut=True)
    return replace(
        classified,
        verdict=Verdict.UNKNOWN,
        rule=MASKED_RULE,
        value=None,
        reason=MASKED,
        labels=labels,
        cut=True,
    )


def cut_by_agent(metadata: Mapping[str, Any] | None) -> bool:
    """Whether the agent sent only part of the output, according to `metadata.output_cut`."""
    return metadata is not None and metadata.get("output_cut") is True


def in_doubt(classified: Classification | NotChecked) -> Classification | NotChecked:
    """Verdict on part of an output: success becomes unknown; others stay and are marked as cut."""
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


# Shared by nearly all calls, so built once.
USUAL: Final = _classification(DEFAULT, OTHERWISE)


def _why(check: SuccessCheck, error: Exception) -> str:
    text = str(error) or type(error).__name__
    return f"The check {check.name} could not be evaluated: {text}"[:LONGEST_REASON]


def artifact_value(content: bytes, media_type: str) -> Json | Unreadable:
    """Value of a stored artifact for a check: parsed if it is JSON, else its text."""
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


DecidedBy = Literal["", "check", "agent", "default", "type"]

_SUCCESS, _FAILURE, _UNKNOWN = Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN
_NOT_RUN: Final = frozenset(["", ToolDenied.kind])
_FAILED_KINDS: Final = frozenset([ToolTimeout.kind, ToolFailure.kind])
_NAME: Final = 128  # characters


class Effective(NamedTuple):
    verdict: Verdict | None
    decided_by: DecidedBy


class AgentCheck(NamedTuple):
    """Success check that the agent says it used."""

    name: str
    version: int | None


def effective(
    kind: str,
    classified: Verdict | None,
    reported: Verdict | None,
    *,
    is_bound: bool,
    own_check: bool,
) -> Effective:
    """Effective verdict of a call. `is_bound`: the check that classified came from a binding.
    `own_check`: the agent replaced the default check with its own."""
    if kind in _NOT_RUN:
        return _NONE
    if kind in _FAILED_KINDS:
        return _BY_TYPE
    if is_bound and classified is not None:
        return Effective(classified, "check")
    if reported is not None and (own_check or classified is None):
        return Effective(reported, "agent")
    if classified is _FAILURE:
        return _DEFAULT_FAILURE
    if reported is _FAILURE:
        return Effective(_FAILURE, "agent")
    if classified is _SUCCESS:
        return _DEFAULT_SUCCESS
    return _NOBODY if reported is None else Effective(reported, "agent")


# Built once: every settled call gets one of them.
_NONE: Final = Effective(None, "")
_BY_TYPE: Final = Effective(_FAILURE, "type")
_DEFAULT_SUCCESS: Final = Effective(_SUCCESS, "default")
_DEFAULT_FAILURE: Final = Effective(_FAILURE, "default")
_NOBODY: Final = Effective(_UNKNOWN, "")


def disagrees(reported: Verdict | None, verdict: Verdict | None) -> bool:
    """The agent's verdict and the effective one differ. Unknown disagrees with nothing."""
    if reported == _SUCCESS:
        return verdict == _FAILURE
    return reported == _FAILURE and verdict == _SUCCESS


def agent_check(metadata: Mapping[str, Any] | None) -> AgentCheck | None:
    """Check named in `metadata.success_check`. Anything invalid there is ignored."""
    if metadata is None or "success_check" not in metadata:
        return None
    check = metadata["success_check"]
    if not isinstance(check, dict):
        return None
    name, version = check.get("name"), check.get("version")
    if not isinstance(name, str) or not name:
        return None
    is_number = isinstance(version, int) and not isinstance(version, bool)
    return AgentCheck(name[:_NAME], version if is_number else None)


def ran_unchecked(verdict: str, classified: str) -> bool:
    """Whether a call ran without being checked: it sent no output, or an unreadable one."""
    return verdict != "" and classified == ""

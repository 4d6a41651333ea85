"""What success means: the verdicts, the shape of a check, and the checks that are built in."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from governance.domain.checks.matcher import default
from governance.domain.json_value import Json


class Verdict(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a check says of one output, the rule that decided and the value this rule saw."""

    verdict: Verdict
    rule: str
    value: Json = None
    reason: str = ""
    labels: tuple[str, ...] = ()
    selector: str = ""  # where the value was seen, as the author of the rule wrote it
    cut: bool = False  # of some text not all was looked at


class SuccessCheck(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement: ...


@dataclass(frozen=True, slots=True)
class BuiltInCheck:
    """A check written in Python that looks at nothing but the output."""

    name: str
    version: int
    decide: Callable[[Json], Judgement]

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        return self.decide(output)


# Most calls succeed and say nothing: these two are made once, not once per call.
_NULL = Judgement(verdict=Verdict.SUCCESS, rule="null", selector="result")
_OTHERWISE = Judgement(verdict=Verdict.SUCCESS, rule="otherwise")


def default_check(output: Json) -> Judgement:
    """The heuristic that the SDKs use when nobody gives them a success check."""
    if output is None:
        return _NULL
    explanation = default(output)
    if explanation.verdict == "success":
        return _OTHERWISE
    return Judgement(
        verdict=Verdict.FAILURE,
        rule=explanation.rule,
        value=explanation.value,
        reason=explanation.reason,
        selector=explanation.selector,
    )


def _semantic_kernel(output: Json) -> Judgement:
    metadata = output.get("metadata") if isinstance(output, dict) else None
    if isinstance(metadata, dict) and (error := metadata.get("error")):
        return _failure("metadata_error", error, "The result's metadata names an error.")
    return default_check(output)


def _langchain(output: Json) -> Judgement:
    content = output.get("content") if isinstance(output, dict) else None
    if isinstance(content, str) and _begins_with_an_error(content):
        return _failure("content_prefix", content[:200], "The content begins like an error.")
    return default_check(output)


def _google_adk(output: Json) -> Judgement:
    if isinstance(output, dict) and (error := output.get("error")):
        return _failure("error_key", error, "The result carries an error.")
    return default_check(output)


def _begins_with_an_error(text: str) -> bool:
    # Seven characters first, then lower case: the SDKs cut before they fold, and so must we.
    return text[:7].lower().startswith(("error:", "fatal:"))


def _failure(rule: str, value: Json, reason: str) -> Judgement:
    return Judgement(verdict=Verdict.FAILURE, rule=rule, value=value, reason=reason)


DEFAULT = BuiltInCheck("default", 1, default_check)
SEMANTIC_KERNEL = BuiltInCheck("semantic-kernel", 1, _semantic_kernel)
LANGCHAIN = BuiltInCheck("langchain", 1, _langchain)
GOOGLE_ADK = BuiltInCheck("google-adk", 1, _google_adk)

BUILT_IN = {check.name: check for check in (DEFAULT, SEMANTIC_KERNEL, LANGCHAIN, GOOGLE_ADK)}

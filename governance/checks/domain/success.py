"""What success means: the verdicts, the shape of a check, and the check that is built in."""

from dataclasses import dataclass
from typing import Protocol

from governance.checks.language.matcher import default
from governance.core.json_value import Json
from governance.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a check says of one output, the rule that decided and the value this rule saw."""

    verdict: Verdict
    rule: str
    value: Json = None
    reason: str = ""
    labels: tuple[str, ...] = ()
    selector: str = ""  # where the value was seen, as the author of the rule wrote it
    cut: bool = False  # it depends on text that was not read; then it is no success


class SuccessCheck(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement: ...


# Most calls succeed and say nothing: these two are made once, not once per call.
_NULL = Judgement(verdict=Verdict.SUCCESS, rule="null", selector="result")
OTHERWISE = Judgement(verdict=Verdict.SUCCESS, rule="otherwise")


def default_check(output: Json) -> Judgement:
    """The heuristic that the SDKs use when nobody gives them a success check."""
    if output is None:
        return _NULL
    explanation = default(output)
    if explanation.verdict == "success":
        return OTHERWISE
    return Judgement(
        verdict=Verdict.FAILURE,
        rule=explanation.rule,
        value=explanation.value,
        reason=explanation.reason,
        selector=explanation.selector,
    )


@dataclass(frozen=True, slots=True)
class DefaultCheck:
    """What judges where no binding names a check. It looks at nothing but the output."""

    name: str = "default"
    version: int = 1

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        return default_check(output)


DEFAULT = DefaultCheck()
BOUND_DEFAULT = DefaultCheck()  # the same check, named by a binding: then it decides alone

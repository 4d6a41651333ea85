"""Wraps a compiled check in the interface that verdicts are computed with."""

from dataclasses import replace

from governance.checks.domain import DEFAULT, Judgement
from governance.checks.language.masked_reads import reads_mask
from governance.checks.language.matcher import FORMAT, Explanation, build
from governance.core.compiled_check import Compiled
from governance.core.json_value import Json
from governance.core.masks.marks import has_mark
from governance.core.verdict import Verdict

DEFAULT_COMPILED = Compiled(
    format=FORMAT,
    name=DEFAULT.name,
    version=DEFAULT.version,
    otherwise="default",
    automata=[],
    rules=[],
)

_VERDICTS = {verdict.value: verdict for verdict in Verdict}


class NamedCheck:
    """A compiled check as a `governance.checks.domain.SuccessCheck`. Thread-safe."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.name, self.version = compiled["name"], compiled["version"]
        self._judge = build(compiled)
        # Most calls succeed without a reason, so they share one judgement.
        self._last: tuple[Explanation, Judgement] | None = None

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        explanation, last = self._judge(tool_name, output, elapsed_ms), self._last
        if has_mark(output):
            rule = explanation.rule
            masked = reads_mask(self.compiled, tool_name, output, elapsed_ms, rule)
            return replace(judgement_of(explanation), masked=masked)
        if last is not None and last[0] is explanation:
            return last[1]
        judgement = judgement_of(explanation)
        if explanation.rule == "otherwise":
            self._last = explanation, judgement
        return judgement

    def explain(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Explanation:
        return self._judge(tool_name, output, elapsed_ms)


def judgement_of(explanation: Explanation) -> Judgement:
    return Judgement(
        verdict=_VERDICTS[explanation.verdict],
        rule=explanation.rule,
        value=explanation.value,
        reason=explanation.reason,
        labels=explanation.labels,
        selector=explanation.selector,
        cut=explanation.cut,
    )

"""Tries a call against a text: the decision, what an agent would do, and what each rule read."""

from dataclasses import dataclass
from typing import Final

from msgspec import structs

from governance.core.cases import words_of
from governance.core.errors import (
    CallInvalid,
    DocumentInvalid,
    EvaluationLimit,
    EvaluationUnavailable,
    Problem,
)
from governance.core.masking import Masking
from governance.evaluation import engine
from governance.evaluation.engine import Evaluation, ExplainedRule, Explanation, Source, ToolCall

_REFUSED = (CallInvalid, DocumentInvalid, EvaluationLimit, EvaluationUnavailable)
_UNASKED: Final = {
    "disabled": "disabled",
    "other_tool": "doesn't apply to this tool",
    "no_output": "needs an output",
    "session": "counts calls of a session, so it needs a session test",
}


@dataclass(frozen=True, slots=True)
class TriedRule:
    rule: ExplainedRule
    decides: bool

    @property
    def status_words(self) -> str:
        rule = self.rule
        if rule.unasked:
            return _UNASKED[rule.unasked]
        if rule.passed:
            return "passed"
        if rule.observed:
            return f"would {_WOULD.get(rule.action, rule.action)} (observe mode)"
        return words_of(rule.action, ())

    @property
    def sign(self) -> str:
        if self.rule.unasked:
            return "none"
        if self.rule.passed:
            return "passed"
        return "observed" if self.rule.observed else "failed"


_WOULD: Final = {"block": "deny", "ask": "need approval"}


@dataclass(frozen=True, slots=True)
class Tried:
    """Decision for a call; without one, the reason in `why` and `problems`."""

    explanation: Explanation | None = None
    rules: tuple[TriedRule, ...] = ()
    why: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def deciding(self) -> tuple[str, ...]:
        return tuple(each.rule.id for each in self.rules if each.decides)

    @property
    def sentence(self) -> str:
        """Action that an agent would take."""
        if self.explanation is None:
            return "No decision"
        by = f" by {', '.join(f'`{name}`' for name in self.deciding)}" if self.deciding else ""
        after = any(each.decides and each.rule.type == "post" for each in self.rules)
        match self.explanation.action:
            case "block" if after:
                return f"Allowed, output withheld{by}."
            case "block":
                return f"Denied{by}."
            case "ask":
                return f"Needs approval{by}."
            case "redact":
                return f"Allowed, output redacted{by}."
            case "warn":
                return f"Allowed with a warning{by}."
            case _:
                return "Allowed. No rule matched."


def shown_explanation(explanation: Explanation, call: ToolCall) -> Explanation:
    """Explanation with the call's secrets masked in what the rules read."""
    masking = _masking(call)
    rules = [
        structs.replace(
            rule,
            message=_shown_message(rule.message, masking),
            saw=[
                structs.replace(saw, value=saw.value and masking.written(saw.selector, saw.value))
                for saw in rule.saw
            ],
        )
        for rule in explanation.rules
    ]
    return structs.replace(explanation, rules=rules)


def shown_evaluation(evaluation: Evaluation, call: ToolCall) -> Evaluation:
    masking = _masking(call)
    rules = [
        structs.replace(rule, message=_shown_message(rule.message, masking))
        for rule in evaluation.rules
    ]
    return structs.replace(evaluation, rules=rules)


def _masking(call: ToolCall) -> Masking:
    return Masking(call.tool_args, call.principal)


def _shown_message(message: str | None, masking: Masking) -> str | None:
    return None if message is None else masking.text(message)


def try_call(source: Source, call: ToolCall) -> Tried:
    try:
        explanation = shown_explanation(engine.explain(source, call), call)
    except _REFUSED as refused:
        problems = refused.errors if isinstance(refused, DocumentInvalid) else ()
        return Tried(why=str(refused), problems=problems)
    return Tried(explanation, _rules(explanation))


def _rules(explanation: Explanation) -> tuple[TriedRule, ...]:
    failed = [r for r in explanation.rules if not r.unasked and not r.passed and not r.observed]
    before = next((rule for rule in _in_agents_order(failed) if rule.type != "post"), None)
    if before is not None:  # an agent stops at the first rule that fails
        deciding = {before.id}
    else:
        same_action = {rule.id for rule in failed if rule.action == explanation.action}
        deciding = same_action or {rule.id for rule in failed}
    return tuple(TriedRule(rule, rule.id in deciding) for rule in explanation.rules)


def _in_agents_order(rules: list[ExplainedRule]) -> list[ExplainedRule]:
    """Rules in evaluation order: agents evaluate sandbox rules after the others."""
    return sorted(rules, key=lambda rule: rule.type == "sandbox")

"""Explains a decision: every rule of the contract with the values it read.

The values come from the library's own functions, so that its parsing isn't duplicated here.
"""

import json
from collections.abc import Callable
from typing import Any

from edictum import create_envelope
from edictum.envelope import ToolCall
from edictum.yaml_engine.evaluator import _MISSING, _resolve_selector
from edictum.yaml_engine.sandbox_compiler import (
    _extract_command,
    _extract_hostname,
    _extract_paths,
    _extract_urls,
)

from governance.evaluation.evaluator.call_budget import PATIENCE, TooLong
from governance.evaluation.evaluator.calls import (
    TOO_LONG,
    UNFIT,
    Call,
    clean,
    evaluate_call,
    read_call,
)
from governance.evaluation.evaluator.documents import Contract, Rule
from governance.evaluation.evaluator.messages import (
    ExplainedRule,
    Explanation,
    NotEvaluated,
    RuleResult,
    Saw,
    Unasked,
)

_LONGEST = 500
_CHAINED = "\x00"  # the library's marker for chained commands
_SEVERAL = "Several commands in one, or a redirection: outside all allowed paths and commands."


def explain_call(contract: Contract, encoded: bytes, patience: float) -> Explanation | NotEvaluated:
    try:
        PATIENCE.begin(patience)
        explained = _explained(contract, encoded)
        PATIENCE.end()
    except TooLong:
        return TOO_LONG
    return explained


def _explained(contract: Contract, encoded: bytes) -> Explanation | NotEvaluated:
    evaluation = evaluate_call(contract, encoded)
    if isinstance(evaluation, NotEvaluated):
        return evaluation
    call = read_call(encoded)
    seen = _seen_by_the_library(contract, call)
    about_this_tool = _about(contract, seen)
    results = {result.id: result for result in evaluation.rules}
    rules: list[ExplainedRule] = []
    for rule in contract.rules:
        saw = _saw(rule, seen, call.output)
        if (result := results.get(rule.id)) is not None:
            rules.append(_evaluated(rule, result, saw))
        else:
            rules.append(_skipped(rule, saw, applies=rule.id in about_this_tool))
    return Explanation(evaluation.decision, evaluation.action, evaluation.policy_error, rules)


def _seen_by_the_library(contract: Contract, call: Call) -> ToolCall:
    return create_envelope(
        call.tool_name,
        call.tool_args,
        environment=call.environment or contract.guard.environment,
        principal=call.principal,
        registry=contract.guard.tool_registry,
    )


def _about(contract: Contract, call: ToolCall) -> set[str]:
    """Enabled rules for this tool, by the library's own matching."""
    guard = contract.guard
    compiled = [
        *guard.get_preconditions(call),
        *guard.get_sandbox_contracts(call),
        *guard.get_postconditions(call),
        *guard.get_session_contracts(),
    ]
    return {rule._edictum_id for rule in compiled}


def _evaluated(rule: Rule, result: RuleResult, saw: list[Saw]) -> ExplainedRule:
    return ExplainedRule(
        rule.id,
        rule.type,
        result.passed,
        result.message,
        observed=result.observed,
        action=rule.action,
        applies=True,
        saw=saw,
        error=result.policy_error,
        unasked="",
    )


def _skipped(rule: Rule, saw: list[Saw], *, applies: bool) -> ExplainedRule:
    return ExplainedRule(
        rule.id,
        rule.type,
        None,
        clean(rule.message),
        observed=False,
        action=rule.action,
        applies=applies,
        saw=saw,
        error=False,
        unasked=_why_not(rule, applies=applies),
    )


def _why_not(rule: Rule, *, applies: bool) -> Unasked:
    if not rule.enabled:
        return "disabled"
    if rule.type == "session":
        return "session"
    return "no_output" if applies else "other_tool"


def _saw(rule: Rule, call: ToolCall, output: str | None) -> list[Saw]:
    if rule.type == "sandbox":
        return [_boundary(name, call) for name in rule.looks_at]
    return [_value(selector, call, output) for selector in rule.looks_at]


def _value(selector: str, call: ToolCall, output: str | None) -> Saw:
    value = _resolve_selector(selector, call, output)
    if value is _MISSING:
        return Saw(clean(selector), "", missing=True)
    return Saw(clean(selector), _shown(value), missing=False)


def _boundary(name: str, call: ToolCall) -> Saw:
    try:
        values = _BOUNDARIES[name](call)
    except UNFIT as error:
        return Saw(name, "", missing=True, note=clean(str(error)) or type(error).__name__)
    if values == _CHAINED:
        return Saw(name, "", missing=False, note=_SEVERAL)
    return Saw(name, _shown(values), missing=False) if values else Saw(name, "", missing=True)


def _domains(call: ToolCall) -> list[str]:
    return [host for url in _extract_urls(call) if (host := _extract_hostname(url))]


_BOUNDARIES: dict[str, Callable[[ToolCall], Any]] = {
    "paths": _extract_paths,
    "command": _extract_command,
    "domains": _domains,
}


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return clean(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")

"""Tool calls against one contract: the library decides, and what an agent would do follows."""

import json
from typing import cast

import msgspec
from edictum import Principal, SideEffect, create_envelope
from edictum.evaluation import RuleResult as LibraryResult

from governance.evaluator.documents import Contract
from governance.evaluator.messages import (
    Action,
    Decision,
    Evaluation,
    NotEvaluated,
    RuleResult,
    RuleType,
    WireCall,
)

_TYPES: dict[str, RuleType] = {
    "precondition": "pre",
    "postcondition": "post",
    "sandbox": "sandbox",
}
_IDENTITY = ("user_id", "service_id", "org_id", "role", "ticket_ref")
_AFTERWARDS: tuple[Action, ...] = ("block", "redact", "warn")  # the strongest first
_MESSAGE = 500


# A tool without a name, arguments of a shape that the library does not take.
UNFIT = (AttributeError, LookupError, RecursionError, TypeError, ValueError)


def evaluate_calls(contract: Contract, calls: list[bytes]) -> list[Evaluation | NotEvaluated]:
    return [evaluate_call(contract, call) for call in calls]


def evaluate_call(contract: Contract, encoded: bytes) -> Evaluation | NotEvaluated:
    try:
        call = decoded(encoded)
        result = contract.guard.evaluate(
            call.tool_name,
            call.tool_args,
            principal=principal_of(call),
            output=call.output,
            environment=call.environment,
        )
        rules = [_rule(rule, contract.actions) for rule in result.rules]
        action = _action(contract, call, rules)
    except UNFIT as error:
        return NotEvaluated("invalid_call", clean(str(error)) or type(error).__name__)
    return Evaluation(cast(Decision, result.decision), action, rules, result.policy_error)


def decoded(encoded: bytes) -> WireCall:
    return msgspec.convert(json.loads(encoded), WireCall)


def principal_of(call: WireCall) -> Principal | None:
    given = call.principal
    if given is None:
        return None
    claims = given.get("claims")
    return Principal(
        **{name: given.get(name) for name in _IDENTITY},
        claims=claims if isinstance(claims, dict) else {},
    )


def _rule(result: LibraryResult, actions: dict[str, str]) -> RuleResult:
    return RuleResult(
        result.rule_id,
        _TYPES[result.rule_type],
        result.passed,
        None if result.message is None else clean(result.message),
        result.observed,
        actions[result.rule_id],
        result.policy_error,
    )


def _action(contract: Contract, call: WireCall, rules: list[RuleResult]) -> Action:
    """An agent stops at the first rule that fails; only after the tool ran do all of them count."""
    failed = [rule for rule in rules if not rule.passed and not rule.observed]
    for rule in failed:
        if rule.type != "post":
            return cast(Action, rule.action)
    wanted = {rule.action for rule in failed}
    if wanted - {"warn"} and not _may_withhold(contract, call):
        return "warn"
    return next((action for action in _AFTERWARDS if action in wanted), "allow")


def _may_withhold(contract: Contract, call: WireCall) -> bool:
    # Agents only warn when the tool has changed something: hiding its output would not undo that.
    envelope = create_envelope(
        call.tool_name, call.tool_args, registry=contract.guard.tool_registry
    )
    return envelope.side_effect in (SideEffect.PURE, SideEffect.READ)


def clean(text: str) -> str:
    """A lone surrogate from the arguments of a call cannot be sent."""
    return text[:_MESSAGE].encode(errors="replace").decode()

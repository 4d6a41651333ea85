"""Evaluates calls against one contract with the library, and derives what an agent would do."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

import msgspec
from edictum import Principal, SideEffect, create_envelope
from edictum.evaluation import RuleResult as LibraryResult

from governance.evaluation.evaluator.call_budget import PATIENCE, TooLong
from governance.evaluation.evaluator.documents import Contract
from governance.evaluation.evaluator.messages import (
    STOPPED,
    Action,
    Decision,
    Evaluation,
    Failed,
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
_AFTERWARDS: tuple[Action, ...] = ("block", "redact", "warn")  # strongest first
_MESSAGE = 500
_LONG = 2_000  # bytes; longer principals are not cached


# Raised for calls that the library can't process, such as a tool without a name.
UNFIT = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
TOO_LONG = NotEvaluated("evaluation_limit", STOPPED + "It took too long.")

_decoder = msgspec.json.Decoder(WireCall)


class Call(NamedTuple):
    tool_name: str
    tool_args: dict[str, Any]
    principal: Principal | None
    output: str | None
    environment: str


def evaluate_calls(
    contract: Contract, calls: list[bytes], patience: float
) -> list[Evaluation | NotEvaluated]:
    """Results of all calls, or up to and including the one that took too long."""
    results: list[Evaluation | NotEvaluated] = []
    for encoded in calls:
        try:
            PATIENCE.begin(patience)
            result = evaluate_call(contract, encoded)
            PATIENCE.end()
        except TooLong:
            return [*results, TOO_LONG]
        results.append(result)
    return results


def evaluate_call(contract: Contract, encoded: bytes) -> Evaluation | NotEvaluated:
    try:
        call = read_call(encoded)
        result = contract.guard.evaluate(
            call.tool_name,
            call.tool_args,
            principal=call.principal,
            output=call.output,
            environment=call.environment,
        )
        rules = [_rule(rule, contract.actions) for rule in result.rules]
        action = action_of(contract, call, [rule for rule in rules if not rule.passed])
    except UNFIT as error:
        return unfit(error)
    return Evaluation(cast(Decision, result.decision), action, rules, result.policy_error)


def unfit(error: Exception) -> NotEvaluated:
    why = clean(str(error)) or type(error).__name__
    return NotEvaluated("invalid_call", f"The edictum library rejects this call: {why}")


def read_call(encoded: bytes) -> Call:
    try:
        call = _decoder.decode(encoded)
    except msgspec.DecodeError:  # stricter than json.loads: no NaN, no lone surrogates
        tool_name, tool_args, given, output, environment = json.loads(encoded)
        return Call(tool_name, tool_args, _principal(given), output, environment)
    principal = principal_in(call.principal)
    return Call(call.tool_name, call.tool_args, principal, call.output, call.environment)


def principal_in(encoded: msgspec.Raw) -> Principal | None:
    long = len(encoded) > _LONG
    return _principal(json.loads(bytes(encoded))) if long else _principal_in(bytes(encoded))


@lru_cache(maxsize=1_000)
def _principal_in(encoded: bytes) -> Principal | None:
    """Cached, because the library copies it for each call."""
    return _principal(json.loads(encoded))


def _principal(given: dict[str, Any] | None) -> Principal | None:
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


def action_of(contract: Contract, call: Call, failed: Sequence[RuleResult | Failed]) -> Action:
    """Action of an agent: its first failing rule decides, but after the tool ran all count."""
    deciding = [rule for rule in failed if not rule.observed]
    for rule in deciding:
        if rule.type != "post":
            return cast(Action, rule.action)
    actions = {rule.action for rule in deciding}
    if actions - {"warn"} and not _may_withhold(contract, call):
        return "warn"
    return next((action for action in _AFTERWARDS if action in actions), "allow")


def _may_withhold(contract: Contract, call: Call) -> bool:
    # Agents only warn if the tool changed something: hiding its output would not undo that.
    envelope = create_envelope(
        call.tool_name, call.tool_args, registry=contract.guard.tool_registry
    )
    return envelope.side_effect in (SideEffect.PURE, SideEffect.READ)


def clean(text: str) -> str:
    """Message without lone surrogates, which arguments may contain and which can't be sent."""
    return text[:_MESSAGE].encode(errors="replace").decode()

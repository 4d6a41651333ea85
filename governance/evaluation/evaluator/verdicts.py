"""Evaluates many calls against one contract for backtests: which rules each of them fails.

The library selects the rules for a call and each of them decides, as in its own `evaluate()`. Work
that `evaluate()` repeats per call is done once here for all calls of one shape: selecting a tool's
rules, and evaluating rules that read nothing of such a call. Arguments aren't copied, since they
were parsed here and nothing else holds them. Messages of rules are dropped, since nothing reads
them.
"""

import json
from collections.abc import Callable, Container, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from edictum import create_envelope
from edictum.envelope import ToolCall

from governance.evaluation.evaluator.call_budget import PATIENCE, TooLong
from governance.evaluation.evaluator.calls import (
    TOO_LONG,
    UNFIT,
    Call,
    action_of,
    principal_in,
    unfit,
)
from governance.evaluation.evaluator.documents import Contract, Rule
from governance.evaluation.evaluator.messages import (
    Failed,
    Judged,
    NotEvaluated,
    RuleType,
    WireQuestion,
)

_SHAPES = 2_000  # cached per contract
_LONG = 4_000  # bytes; shapes of longer calls are not cached
_NOT_AN_OBJECT = NotEvaluated("invalid_call", "The arguments are not an object.")
_NOBODY = msgspec.Raw(b"null")
_WHENEVER = datetime.now(UTC)  # no rule reads the timestamp
# Arguments that the library extracts values from for some tools. It decides for which.
_EXTRACTED = {"command": "ls", "file_path": "/a"}

_decoder = msgspec.json.Decoder(WireQuestion)
_any = msgspec.json.Decoder()

Judgement = Judged | NotEvaluated | None


class _Asking(NamedTuple):
    rule: Callable[..., Any]  # the library's
    failed: Failed
    after: bool  # the tool ran: the rule also gets the output


class _Shape(NamedTuple):
    """Properties shared by all calls of a tool with the same argument names."""

    asking: Sequence[_Asking]  # rules whose result may differ between such calls
    principal: bool  # whether any of them reads it
    output: bool
    plain: bool  # the library extracts nothing from the arguments


def judge_calls(contract: Contract, calls: list[bytes], patience: float) -> list[Judgement]:
    """Results of all calls, or up to and including the one that took too long."""
    judge = _judge_of(contract)
    results: list[Judgement] = []
    for encoded in calls:
        try:
            PATIENCE.begin(patience)
            result = judge.judge(encoded)
            PATIENCE.end()
        except TooLong:
            return [*results, TOO_LONG]
        results.append(result)
    return results


class _Judge:
    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._rules = {rule.id: rule for rule in contract.rules}
        self._shapes: dict[tuple[Any, ...], _Shape] = {}

    def judge(self, encoded: bytes) -> Judgement:
        try:
            question = _read(encoded)
            arguments = question.tool_args
            if not isinstance(arguments, dict):
                return _NOT_AN_OBJECT
            known, has_output = question.principal != _NOBODY, bool(question.output)
            key = (question.tool_name, question.environment, known, has_output, *arguments)
            shape = self._shapes.get(key)
            if shape is None:
                shape = self._shape(question)
                self._keep(key, shape, len(encoded))
            call = Call(
                question.tool_name,
                arguments,
                principal_in(question.principal) if shape.principal else None,
                _text(question.output) if shape.output else None,
                question.environment,
            )
            failed = _failed(shape.asking, self._seen(call, plain=shape.plain), call.output)
            return Judged(action_of(self._contract, call, failed), failed) if failed else None
        except UNFIT as error:
            return unfit(error)

    def _seen(self, call: Call, *, plain: bool) -> ToolCall:
        guard = self._contract.guard
        environment = call.environment or guard.environment
        if plain:  # built directly, which the library allows, to avoid a copy
            return ToolCall(
                tool_name=call.tool_name,
                args=call.tool_args,
                call_id="",
                environment=environment,
                timestamp=_WHENEVER,
                principal=call.principal,
            )
        return create_envelope(
            call.tool_name,
            call.tool_args,
            environment=environment,
            principal=call.principal,
            registry=guard.tool_registry,
        )

    def _shape(self, question: WireQuestion) -> _Shape:
        """Evaluate every rule for the first call of a shape, to find those that later calls can
        skip: rules that it passes, and that read nothing that differs between calls of the shape.
        """
        has_output = bool(question.output)
        call = Call(
            question.tool_name,
            question.tool_args,
            principal_in(question.principal),
            _text(question.output) if has_output else None,
            question.environment,
        )
        seen = self._seen(call, plain=False)
        taking = create_envelope(call.tool_name, _EXTRACTED)
        asking = self._about(seen, has_output=has_output)
        fails = {failed.id for failed in _failed(asking, seen, call.output)}
        names = call.tool_args.keys()
        reads = {
            each.failed.id: _reads(self._rules[each.failed.id], names, call) for each in asking
        }
        asking = [each for each in asking if each.failed.id in fails or reads[each.failed.id]]
        seen_by_them = {what for each in asking for what in reads[each.failed.id]}
        return _Shape(
            tuple(asking),
            principal="principal" in seen_by_them,
            output="output" in seen_by_them,
            plain=taking.bash_command is None and taking.file_path is None,
        )

    def _about(self, seen: ToolCall, *, has_output: bool) -> list[_Asking]:
        """Rules for this tool, selected and ordered by the library."""
        guard = self._contract.guard
        chosen: list[tuple[RuleType, list[Any]]] = [
            ("pre", guard.get_preconditions(seen)),
            ("sandbox", guard.get_sandbox_contracts(seen)),
            ("post", guard.get_postconditions(seen) if has_output else []),
        ]
        return [
            _Asking(
                rule,
                Failed(
                    rule._edictum_id,
                    kind,
                    rule._edictum_mode == "observe",
                    self._contract.actions[rule._edictum_id],
                ),
                kind == "post",
            )
            for kind, rules in chosen
            for rule in rules
        ]

    def _keep(self, key: tuple[Any, ...], shape: _Shape, length: int) -> None:
        if length > _LONG:
            return
        if len(self._shapes) >= _SHAPES:
            self._shapes.clear()
        self._shapes[key] = shape


@lru_cache(maxsize=4)
def _judge_of(contract: Contract) -> _Judge:
    return _Judge(contract)


def _failed(asking: Sequence[_Asking], seen: ToolCall, output: str | None) -> list[Failed]:
    failed: list[Failed] = []
    for rule, failing, after in asking:
        try:
            decision = rule(seen, output) if after else rule(seen)
        except Exception:  # noqa: BLE001 - the library takes each for a failure, in any mode
            failed.append(Failed(failing.id, failing.type, False, failing.action))  # noqa: FBT003 - as the struct is sent
            continue
        if not decision.passed:
            failed.append(failing)
    return failed


def _reads(rule: Rule, names: Container[str], call: Call) -> set[str]:
    """Parts of a call that the rule reads and that can differ between calls of one shape."""
    if rule.type == "sandbox":
        return {"args"} if call.tool_args else set()
    parts: set[str] = set()
    for selector in rule.looks_at:
        kind, *path = selector.split(".")
        if (
            (kind == "args" and path and path[0] in names)
            or (kind == "principal" and call.principal is not None)
            or (kind == "output" and call.output is not None)
        ):
            parts.add(kind)
    return parts


def _read(encoded: bytes) -> WireQuestion:
    try:
        return _decoder.decode(encoded)
    except msgspec.DecodeError:  # stricter than json.loads, as in `read_call`
        tool_name, arguments, principal, environment, *output = json.loads(encoded)
        raws = [msgspec.Raw(json.dumps(value).encode()) for value in (principal, *output)]
        return WireQuestion(tool_name, arguments, raws[0], environment, *raws[1:])


def _text(output: msgspec.Raw) -> str:
    """Output as text, converted as the library does before its rules read it."""
    try:
        return str(_any.decode(output))
    except msgspec.DecodeError:
        return str(json.loads(bytes(output)))

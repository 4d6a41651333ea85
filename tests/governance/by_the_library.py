"""The library called in this process, and the engine's results in a comparable form."""

import os
from typing import Any
from unittest.mock import patch

import edictum

from governance.evaluation.engine import Evaluation, NotEvaluated, ToolCall


def by_the_library(text: str, tool_call: ToolCall) -> tuple[Any, ...]:
    principal = edictum.Principal(**tool_call.principal) if tool_call.principal else None
    guard = edictum.Edictum.from_yaml_string(text)
    with patch.dict(os.environ, clear=True):  # `env.*` has no value in the evaluation process
        result = guard.evaluate(
            tool_call.tool_name,
            tool_call.tool_args or {},
            principal=principal,
            output=tool_call.output,
            environment=tool_call.environment,
        )
    rules = [
        (r.rule_id, r.rule_type[: len("sandbox")], r.passed, r.message, r.observed, r.policy_error)
        for r in result.rules
    ]
    return result.decision, rules, result.policy_error


def by_the_engine(result: Evaluation | NotEvaluated) -> tuple[Any, ...]:
    assert isinstance(result, Evaluation)
    long = {"pre": "precondition", "post": "postcondition", "sandbox": "sandbox"}
    rules = [
        (r.id, long[r.type][: len("sandbox")], r.passed, r.message, r.observed, r.policy_error)
        for r in result.rules
    ]
    return result.decision, rules, result.policy_error

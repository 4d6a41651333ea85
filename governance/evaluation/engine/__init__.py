"""Evaluates contracts with the library, in a separate process.

    engine.validate(text)                 -> Validation, with lines and columns
    engine.evaluate(text, calls)          -> one result per call
    engine.evaluate_call(text, call)      -> Evaluation
    engine.explain(text, call)            -> Explanation: every rule, and the values it read
    Engine().judge(text, questions)       -> only the rules that each of many calls fails

These functions share a small pool of processes for pages; long-running work creates its own Engine.
"""

import atexit

from governance.evaluation.engine.calls import Judgement, Result, ToolCall
from governance.evaluation.engine.client import Engine, Source, Validation
from governance.evaluation.engine.pool import Pool, PoolUse
from governance.evaluation.engine.questions import question
from governance.evaluation.engine.requests import Asker
from governance.evaluation.evaluator.messages import (
    Evaluation,
    ExplainedRule,
    Explanation,
    Failed,
    Judged,
    NotEvaluated,
    RuleResult,
    Saw,
    SessionRule,
)

# Short questions share the pool; a thread blocked by a long one could serve nothing else.
_pages = Pool(wait_seconds=1.0)
atexit.register(_pages.close)

validate = _pages.validate
evaluate = _pages.evaluate
evaluate_call = _pages.evaluate_call
explain = _pages.explain


def pool_use() -> PoolUse:
    """Current load of the pool for pages."""
    return _pages.use


__all__ = [
    "Asker",
    "Engine",
    "Evaluation",
    "ExplainedRule",
    "Explanation",
    "Failed",
    "Judged",
    "Judgement",
    "NotEvaluated",
    "PoolUse",
    "Result",
    "RuleResult",
    "Saw",
    "SessionRule",
    "Source",
    "ToolCall",
    "Validation",
    "evaluate",
    "evaluate_call",
    "explain",
    "pool_use",
    "question",
    "validate",
]

"""Evaluation of contracts by the library, in a process of its own.

    engine.validate(text)                 -> Validation, with lines and columns
    engine.evaluate(text, calls)          -> a result for each call
    engine.evaluate_call(text, call)      -> Evaluation
    engine.explain(text, call)            -> Explanation: every rule, and what it saw of the call
    Engine().judge(text, questions)       -> of many calls, which rules they fail, and nothing else

The functions share a few processes for pages; work that may take long makes an Engine of its own.
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

# Short questions take turns; a thread that waited for a long one would serve nothing else.
_pages = Pool(wait_seconds=1.0)
atexit.register(_pages.close)

validate = _pages.validate
evaluate = _pages.evaluate
evaluate_call = _pages.evaluate_call
explain = _pages.explain


def pool_use() -> PoolUse:
    """How busy the processes for pages are."""
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

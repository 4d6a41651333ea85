"""What contracts say, asked of the library in a process of its own.

    engine.validate(text)                 -> Validation, with lines and columns
    engine.evaluate(text, calls)          -> a result for each call
    engine.evaluate_call(text, call)      -> Evaluation
    engine.explain(text, call)            -> Explanation: every rule, and what it saw of the call

The functions share a few processes for pages; work that may take long makes an Engine of its own.
"""

import atexit

from governance.engine.calls import Result, ToolCall
from governance.engine.client import Engine, Source, Validation
from governance.engine.pool import Pool
from governance.evaluator.messages import (
    Evaluation,
    ExplainedRule,
    Explanation,
    NotEvaluated,
    RuleResult,
    Saw,
    SessionRule,
)

_pages = Pool()
atexit.register(_pages.close)

validate = _pages.validate
evaluate = _pages.evaluate
evaluate_call = _pages.evaluate_call
explain = _pages.explain

__all__ = [
    "Engine",
    "Evaluation",
    "ExplainedRule",
    "Explanation",
    "NotEvaluated",
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
    "validate",
]

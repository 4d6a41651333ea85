"""Warnings that only a trial run of a valid document shows; they never reject it.

All other warnings come from the text alone, in `governance.lint`.
"""

from typing import Any

from governance.evaluation.evaluator.backtracking import hopeless_text
from governance.evaluation.evaluator.call_budget import BUDGET, BudgetSpent
from governance.evaluation.evaluator.expressions import patterns
from governance.evaluation.evaluator.messages import Finding
from governance.evaluation.evaluator.schema_errors import short

_TRYING = 0.5  # CPU seconds for all patterns of a document


def warnings_about(document: dict[str, Any], *, seconds: float) -> list[Finding]:
    """Findings within the document's remaining CPU time, and at most half a second."""
    findings: list[Finding] = []
    try:
        with BUDGET.of(min(_TRYING, seconds)):
            for path, pattern in patterns(document):
                if text := hopeless_text(pattern):
                    findings.append(Finding("hopeless", path, names=[short(pattern), short(text)]))
    except BudgetSpent:
        pass
    return findings

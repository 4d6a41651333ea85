"""What only trying tells of a document that the library accepts. Warnings never refuse one.

All else that would surprise an author is read off the text by the server itself.
"""

from typing import Any

from governance.evaluation.evaluator.backtracking import hopeless_text
from governance.evaluation.evaluator.call_budget import BUDGET, BudgetSpent
from governance.evaluation.evaluator.expressions import patterns
from governance.evaluation.evaluator.messages import Finding
from governance.evaluation.evaluator.schema_errors import short

_TRYING = 0.5  # seconds of the processor, for all patterns of a document


def warnings_about(document: dict[str, Any], *, seconds: float) -> list[Finding]:
    """As many as are found in the time that the document has left, and in half a second."""
    found: list[Finding] = []
    try:
        with BUDGET.of(min(_TRYING, seconds)):
            for path, pattern in patterns(document):
                if text := hopeless_text(pattern):
                    found.append(Finding("hopeless", path, names=[short(pattern), short(text)]))
    except BudgetSpent:
        pass
    return found

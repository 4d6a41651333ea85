"""What only trying tells of a document that the library accepts. Warnings never refuse one.

All else that would surprise an author is read off the text by the server itself.
"""

from typing import Any

from governance.evaluator.backtracking import hopeless_text
from governance.evaluator.expressions import patterns
from governance.evaluator.messages import Finding
from governance.evaluator.patience import BUDGET, BudgetSpent
from governance.evaluator.schema_errors import short

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

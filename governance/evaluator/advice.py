"""What only trying tells of a document that the library accepts. Warnings never refuse one.

All else that would surprise an author is read off the text by the server itself.
"""

import time
from typing import Any

from governance.evaluator.backtracking import hopeless_text
from governance.evaluator.expressions import patterns
from governance.evaluator.messages import Finding
from governance.evaluator.schema_errors import short

_TRYING = 0.5  # seconds of the processor, for all patterns of a document


def warnings_about(document: dict[str, Any]) -> list[Finding]:
    end = time.process_time() + _TRYING
    return [
        Finding("hopeless", path, names=[short(pattern), short(text)])
        for path, pattern in patterns(document)
        if time.process_time() < end and (text := hopeless_text(pattern))
    ]

"""Errors and warnings of a document as its author wrote it.

Runs in this process, because parsing half a megabyte of YAML takes a second of CPU time, and would
delay all other requests in the web process.
"""

from governance.core.errors import DocumentInvalid
from governance.evaluation.evaluator.documents import Shelf
from governance.evaluation.evaluator.messages import NotEvaluated, Read, Reading
from governance.evaluation.wording import problems
from governance.lint.surprises import lint
from governance.texts.document import read_document


def read(request: Read, shelf: Shelf) -> Reading | NotEvaluated:
    try:
        document = read_document(request.text)
    except DocumentInvalid as refused:
        return Reading(errors=list(refused.errors))
    loaded = shelf.load(document.sha, document.new_text, request.patience)
    if isinstance(loaded, NotEvaluated):
        return loaded
    warnings = [
        *problems(loaded.warnings, document),
        *lint(document, tools=request.tools),
    ]
    warnings.sort(key=lambda each: (each.line or 0, each.column or 0))
    return Reading(
        errors=list(problems(loaded.errors, document)),
        warnings=warnings,
        name=loaded.name,
        rules=loaded.rules,
        session_rules=loaded.session_rules,
        dialect=document.dialect,
        sha=document.sha,
    )

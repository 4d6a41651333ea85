"""Tests of contracts, and a contract's current decision for one call."""

from governance.case_runs.domain import Answer
from governance.case_runs.queries import answer_of, tool_call
from governance.contracts.queries.contracts import newest_version
from governance.core.cases import CaseCall
from governance.core.errors import (
    CallInvalid,
    DocumentInvalid,
    EvaluationLimit,
    EvaluationUnavailable,
)
from governance.evaluation import engine
from governance.models import Bundle, Case


def case_numbered(bundle: Bundle, number: int) -> Case | None:
    rows = Case.objects.select_related("bundle__project")
    return rows.filter(bundle=bundle, pk=number).first() if number < 2**63 else None


def case_named(bundle: Bundle, name: str) -> Case | None:
    return Case.objects.filter(bundle=bundle, name=name).first()


def current_answer(bundle: Bundle, call: CaseCall) -> Answer | None:
    """Decision of the newest version; None if there is no version or no decision."""
    version = newest_version(bundle)
    if version is None:
        return None
    try:
        return answer_of(engine.evaluate_call(bytes(version.document), tool_call(call)))
    except (CallInvalid, DocumentInvalid, EvaluationLimit, EvaluationUnavailable):
        return None

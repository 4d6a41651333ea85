"""The text of a check tried over HTTP: on a result that is given, or on calls that are stored."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from ninja import Router

from governance.checks.language.matcher import Explanation
from governance.checks.language.named import NamedCheck
from governance.checks.language.secret_fields import reads_secret
from governance.checks.language.text import CheckedText, read_check
from governance.checks.queries.includes import ALL, Including
from governance.core.errors import DocumentInvalid
from governance.core.json_value import Json
from governance.core.masking import MASK, Masking
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.queries.projects import project_numbered
from outcomes.artifacts.commands.contents import Contents
from outcomes.check_editor.schemas import CheckTrialIn
from outcomes.masking.domain.shown_call import masking_of
from outcomes.record.classification import Classification, NotChecked, Unreadable, classify
from outcomes.stored.queries import StoredCall, newest_calls_named, read_calls
from outcomes.web.api import answer

# A router of its own, as its address has to be tried before that of any check.
router = Router(tags=["success checks"])
MOST_BYTES = 32 * 1024 * 1024  # of stored outputs, for one answer
_TOO_MANY = Unreadable("The outputs are too large to check together. Send fewer.")


@router.post("/success-checks/try", auth=KeyOrMember("read"), response={200: None})
def try_check(request: AccessRequest, body: CheckTrialIn) -> HttpResponse:
    """Verdicts of a draft on outputs or recorded calls, with its failing examples."""
    project = project_numbered(request.auth.project_id)
    including = Including(project.pk, ALL if body.newer_included else ())
    read = read_check(body.yaml, included_by=including.of)
    if read.compiled is None:
        raise DocumentInvalid(read.problems)
    check = NamedCheck(read.compiled)
    broken = _problems(read)
    if body.call_ids is not None:
        return answer(_trials_of_calls(project.pk, body.call_ids, body.env, check) | broken)
    explanation = check.explain(body.tool_name, body.result, body.elapsed_ms)
    return answer(_shown(explanation, body.result)._asdict() | broken)


def _trials_of_calls(
    project: int, call_ids: Iterable[str], environment: str, check: NamedCheck
) -> dict[str, Any]:
    distinct = list(dict.fromkeys(call_ids))
    rows = newest_calls_named(project, distinct, environment)
    known = {call.row.call_id: call for call in read_calls(rows)}
    reader = _Outputs(project)
    return {
        "calls": [
            _call_out(known[each], classify(known[each].folded, check, reader.read), check)
            for each in distinct
            if each in known
        ],
        "missing": [each for each in distinct if each not in known],
    }


def _shown(explanation: Explanation, result: Json) -> Explanation:
    masking = Masking(result, {explanation.selector: explanation.value})
    value, _ = masking.field(explanation.selector, explanation.value)
    return explanation._replace(value=value, reason=masking.text(explanation.reason))


def _call_out(
    call: StoredCall, explanation: Classification | NotChecked | None, check: NamedCheck
) -> dict[str, Any]:
    row = call.row
    verdict = explanation if isinstance(explanation, Classification) else None
    masking = masking_of(call.folded)
    is_secret = verdict is not None and reads_secret(check.compiled, verdict.rule or "")
    return {
        "call_id": row.call_id,
        "environment": row.environment.name,
        "tool_name": row.tool.name,
        "verdict": verdict.verdict if verdict else None,
        "rule": verdict.rule if verdict else None,
        "value": (MASK if is_secret else masking.value(verdict.value)) if verdict else None,
        "reason": (MASK if is_secret else masking.text(verdict.reason)) if verdict else "",
        "labels": verdict.labels if verdict else (),
        "cut": bool(verdict and verdict.cut),
        "not_checked": explanation.reason if isinstance(explanation, NotChecked) else None,
        "present": {
            "verdict": row.classified or None,
            "effective": row.verdict or None,
            "decided_by": row.decided_by or None,
            "check": row.check_name or None,
            "version": row.check_version,
            "rule": row.check_rule or None,
        },
    }


class _Outputs:
    """Stored outputs, one at a time in memory and not more than one answer may cost."""

    def __init__(self, project: int) -> None:
        self.project = project
        self.left = MOST_BYTES

    def read(self, artifact_id: str) -> Any:
        contents = Contents()
        self.left -= contents.size_of(self.project, artifact_id)
        return _TOO_MANY if self.left < 0 else contents.value_or_fault(self.project, artifact_id)


def _problems(read: CheckedText) -> dict[str, Any]:
    names = ("path", "line", "column", "message", "fix")
    return {
        "problems": [{name: asdict(each)[name] for name in names} for each in read.problems],
    }

"""Rules that are suggested for success checks, over HTTP: read, dismissed and brought back."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from ninja import Query, Schema
from pydantic import ConfigDict

from governance.core.masking import Masking
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from outcomes.calls.api.shapes import time_text
from outcomes.models import Suggestion
from outcomes.suggestions.commands import suggestions
from outcomes.suggestions.commands.suggestions import bring_back_suggestion
from outcomes.suggestions.queries import dismissed_suggestions, open_suggestions, row_of, scan_of
from outcomes.web.api import answer, router


class SuggestionsQuery(Schema):
    dismissed: bool = False


class DismissalIn(Schema):
    model_config = ConfigDict(extra="forbid")

    dismissed: bool = True


@router.get("/success-check-suggestions", auth=KeyOrMember("read"), response={200: None})
def list_suggestions(request: AccessRequest, query: Query[SuggestionsQuery]) -> HttpResponse:
    """Open suggestions, most frequent first, or dismissed ones."""
    project = request.auth.project_id
    listed = dismissed_suggestions(project) if query.dismissed else open_suggestions(project)
    scan = scan_of(project)
    return answer(
        {
            "suggestions": [suggestion_out(each) for each in listed],
            "looked_at": time_text(scan.looked_at) if scan else None,
        }
    )


@router.post(
    "/success-check-suggestions/{int:suggestion_id}/dismissal",
    auth=KeyOrMember(action=Action.WRITE_CHECK),
    response={200: None},
)
def dismiss_suggestion(
    request: AccessRequest, suggestion_id: int, body: DismissalIn
) -> HttpResponse:
    does = suggestions.dismiss_suggestion if body.dismissed else bring_back_suggestion
    done = does(request.auth.project_id, suggestion_id, by=request.auth.actor)
    return answer(suggestion_out(done))


def suggestion_out(suggestion: Suggestion) -> dict[str, Any]:
    follows = row_of(suggestion)
    return {
        "id": suggestion.pk,
        "tool": suggestion.tool.name,
        "check": suggestion.check_name,
        "rule": suggestion.rule,
        "row": follows.row.key if follows else None,
        "form": follows.row.title if follows else None,
        "results": suggestion.results,
        "of": suggestion.of,
        "judge": suggestion.judge,
        "first_at": time_text(suggestion.first_at),
        "last_at": time_text(suggestion.last_at),
        "found_at": time_text(suggestion.first_seen_at),
        "saw": [
            {"selector": selector, "value": Masking().written(selector, value), "results": number}
            for selector, value, number in suggestion.saw
        ],
        "samples": [
            each | {"at": time_text(datetime.fromisoformat(each["at"]))}
            for each in suggestion.samples
        ],
        "dismissed_by": suggestion.dismissed_by or None,
        "dismissed_at": time_text(suggestion.dismissed_at),
    }

"""Masking over HTTP: one masked value, opened and recorded; the rules of a project."""

from typing import Any, Literal

from django.http import HttpResponse
from ninja import Schema
from pydantic import ConfigDict, Field

from governance.models import MaskingRules
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.masking import detector_totals, masking_rules
from governance.people.queries.projects import project_numbered
from outcomes.masking.commands.opening import open_value as open_stored
from outcomes.masking.commands.rules import set_masking
from outcomes.masking.domain.json_pointers import LONGEST
from outcomes.masking.domain.own_patterns import patterns_text
from outcomes.masking.schemas import DEFAULT, MaskingIn
from outcomes.web.api import answer, router


class OpenedIn(Schema):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["call", "approval", "rejected", "report"] = "call"
    id: str = Field(min_length=1, max_length=1_024, pattern=r"^[^\x00]*$")
    env: str = Field("", pattern=r"^[A-Za-z0-9._-]{0,128}$")
    place: str = Field(min_length=1, max_length=LONGEST, pattern=r"^/[^\x00]*$")


@router.post("/opened-values", auth=KeyOrMember(action=Action.OPEN_VALUE), response={200: None})
def open_masked_value(request: AccessRequest, body: OpenedIn) -> HttpResponse:
    """Stored value at a JSON pointer such as `/tool_args/password`."""
    project = project_numbered(request.auth.project_id)
    value = open_stored(
        project, body.kind, body.id, body.place, environment=body.env, by=request.auth.actor
    )
    return answer({"place": body.place, "value": value})


@router.get("/masking", auth=KeyOrMember("read"), response={200: None})
def get_masking(request: AccessRequest) -> HttpResponse:
    """Rules of the project, and how many values each detector masked before storing."""
    return answer(_rules_out(masking_rules(request.auth.project_id), request.auth.project_id))


@router.put("/masking", auth=KeyOrMember(action=Action.MANAGE_SETTINGS), response={200: None})
def put_masking(request: AccessRequest, body: MaskingIn) -> HttpResponse:
    """Replace the rules; they concern what arrives from then on."""
    project = project_numbered(request.auth.project_id)
    rules = set_masking(
        project,
        before_storing=body.mode == "stored",
        detectors=body.detectors,
        patterns=body.patterns,
        by=request.auth.actor,
    )
    return answer(_rules_out(rules, project.pk))


def _rules_out(rules: MaskingRules | None, project_id: int) -> dict[str, Any]:
    return {
        "mode": "stored" if rules is not None and rules.before_storing else "shown",
        "detectors": DEFAULT if rules is None else rules.detectors,
        "patterns": "" if rules is None else patterns_text(rules.patterns),
        "masked": {name: total.masked for name, total in detector_totals(project_id).items()},
    }

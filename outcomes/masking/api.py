"""One masked value, opened over HTTP: for operators and `manage` keys, each in the audit log."""

from typing import Literal

from django.http import HttpResponse
from ninja import Schema
from pydantic import ConfigDict, Field

from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered
from outcomes.masking.commands.opening import open_value as open_stored
from outcomes.masking.domain.json_pointers import LONGEST
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

"""API of the calls that a version in observe mode would have denied, and of ticking them off."""

from typing import Any

from django.http import HttpResponse
from ninja import Query, Schema
from pydantic import ConfigDict, Field

from governance.core.errors import NotFound
from governance.deployments.queries import VersionThere, version_there
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered
from outcomes.contract_pages.commands import take_back, tick_off
from outcomes.contract_pages.queries.observed import Line, Named, observed
from outcomes.web.api import answer, router

NAME = r"^[^\x00]*$"


class ObservedQuery(Schema):
    env: str = Field(pattern=r"^[A-Za-z0-9._-]{1,128}$")
    version: int | None = Field(None, ge=1, lt=2**31)


class TickIn(Schema):
    model_config = ConfigDict(extra="forbid")

    env: str = Field(pattern=r"^[A-Za-z0-9._-]{1,128}$")
    version: int | None = Field(None, ge=1, lt=2**31)
    rule: str = Field(pattern=NAME)
    tool: str = Field(pattern=NAME)
    agent: str = Field(pattern=NAME)
    ticked: bool = True


@router.get("/contracts/{name}/would-deny", auth=KeyOrMember("read"), response={200: None})
def list_would_deny(request: AccessRequest, name: str, query: Query[ObservedQuery]) -> HttpResponse:
    """Lines of the deployed version, unless another is named; open ones first."""
    there = _there(request, name, query.env, query.version)
    lines = observed(there)
    return answer(
        {
            "name": name,
            "version": there.version.number,
            "env": there.environment.name,
            "calls": lines.calls,
            "counted": lines.counted,
            "lines": [_line_out(line) for line in lines.lines],
        }
    )


@router.post(
    "/contracts/{name}/would-deny/ticks",
    auth=KeyOrMember(action=Action.DEPLOY),
    response={200: None},
)
def tick_would_deny(request: AccessRequest, name: str, body: TickIn) -> HttpResponse:
    there = _there(request, name, body.env, body.version)
    named, by = Named(body.rule, body.tool, body.agent), request.auth.actor
    if body.ticked:
        tick_off(there, named, by=by)
    else:
        take_back(there, named, by=by)
    return answer({"ticked": body.ticked})


def _there(request: AccessRequest, name: str, env: str, version: int | None) -> VersionThere:
    project = project_numbered(request.auth.project_id)
    existing = version_there(project, name, env, version)
    if existing is None:
        raise NotFound("This version was never deployed there.")
    return existing


def _line_out(line: Line) -> dict[str, Any]:
    ticked = line.ticked
    return {
        "rule": line.named.rule,
        "tool": line.named.tool,
        "agent": line.named.agent,
        "calls": line.number,
        "last_at": line.last_at,
        "samples": [call.call_id for call in line.samples],
        "ticked": ticked and {"by": ticked.author, "at": ticked.at, "calls": ticked.calls},
    }

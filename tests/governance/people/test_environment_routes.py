"""Routes by role and environment: a member with a role in staging can use only routes that act on
staging."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.delivery.commands import stops
from governance.delivery.commands.assignments import assign
from governance.models import Project
from governance.people.commands.people import set_environment_roles
from tests import builders
from tests.governance.approvals.builders import an_approval
from tests.governance.deploying import live, saved

STAGING, PRODUCTION = "staging", "production"
Call = Callable[[Client, Project, str], Any]


def sent(client: Client, method: str, path: str, project: Project, **body: object) -> Any:
    """Response of an API route to a member's browser."""
    address = f"/v1/{path}?project={project.slug}"
    return client.generic(method, address, json.dumps(body), content_type="application/json")


def deploy(client: Client, project: Project, env: str) -> Any:
    name = saved(project).bundle.name
    return sent(client, "POST", f"contracts/{name}/deployments", project, version=1, env=env)


def request(client: Client, project: Project, env: str) -> Any:
    name = saved(project).bundle.name
    path = f"contracts/{name}/deployment-requests"
    return sent(client, "POST", path, project, version=1, env=env)


def roll_back(client: Client, project: Project, env: str) -> Any:
    name = live(saved(project, "1"), env).bundle.name
    live(saved(project, "2"), env)
    return sent(client, "POST", f"contracts/{name}/rollbacks", project, env=env)


def assign_contract(client: Client, project: Project, env: str) -> Any:
    name = live(saved(project), env).bundle.name
    return sent(client, "PUT", "assignments", project, bundle_name=name, env=env, agent_id="bot")


def end_assignment(client: Client, project: Project, env: str) -> Any:
    name = live(saved(project), env).bundle.name
    number = assign(project, bundle_name=name, env=env, by=CONSOLE)[0].pk
    return sent(client, "DELETE", f"assignments/{number}", project)


def decide(client: Client, project: Project, env: str) -> Any:
    code = an_approval(project, env=env).code
    return sent(client, "POST", f"approvals/{code}/decision", project, decision="approve")


def stop(client: Client, project: Project, env: str) -> Any:
    address = reverse("governance:new_stop", args=[project.slug])
    return client.post(f"{address}?environment={env}&agent=bot")


def lift(client: Client, project: Project, env: str) -> Any:
    number = stops.stop(project, env=env, agent="bot", by=CONSOLE)[0].pk
    return client.post(reverse("governance:lift_stop", args=[project.slug, number]))


ROUTES: dict[Call, Role] = {
    deploy: Role.EDITOR,
    request: Role.EDITOR,
    roll_back: Role.EDITOR,
    assign_contract: Role.EDITOR,
    end_assignment: Role.EDITOR,
    decide: Role.OPERATOR,
    stop: Role.OPERATOR,
    lift: Role.OPERATOR,
}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.__name__)
@pytest.mark.parametrize("there", [None, Role.OPERATOR, Role.EDITOR])
@pytest.mark.parametrize("env", [STAGING, PRODUCTION])
def test_a_route_requires_the_role_in_its_environment(project, route, there, env):
    for name in (STAGING, PRODUCTION):
        builders.an_environment(project, name)
    member = builders.a_member(project)
    roles = {} if there is None else {STAGING: there}
    set_environment_roles(member, roles=roles, by=CONSOLE)
    answer = route(builders.signed_in(member.user), project, env)
    reaches = env == STAGING and there is not None and there.reaches(ROUTES[route])
    assert (answer.status_code != 403) is reaches, answer.content
    assert answer.status_code < 500

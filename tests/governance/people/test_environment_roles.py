"""Roles in environments: every environment operation by role and environment, through the commands
that pages and API share."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from django.urls import reverse

from governance.approvals.commands import decide, undo
from governance.audit_log import verify
from governance.core.actor import CONSOLE, Actor
from governance.core.errors import Forbidden, GovernanceError, InvalidInput
from governance.core.roles import Role
from governance.delivery.commands import stops
from governance.delivery.commands.assignments import assign, end_assignment
from governance.deployments.commands.deployments import deploy, reason_to_override, roll_back
from governance.deployments.commands.requests import (
    approve_request,
    ask_to_deploy,
    refuse_request,
    withdraw_request,
)
from governance.models import AuditEntry, Member, Project
from governance.people.auth import access_of_member
from governance.people.commands.people import set_environment_roles
from governance.people.policies import IN_ENVIRONMENT, ROLE_FOR, Action, may, may_somewhere
from tests import builders
from tests.governance.approvals.builders import an_approval
from tests.governance.deploying import a_request, live, saved

STAGING, PRODUCTION = "staging", "production"


def actor(project: Project, there: Role | None, *, base: Role = Role.VIEWER) -> Actor:
    member = builders.a_member(project, base)
    for name in (STAGING, PRODUCTION):
        builders.an_environment(project, name)
    if there is not None:
        set_environment_roles(member, roles={STAGING: there}, by=CONSOLE)
    return access_of_member(member).actor


def an_assignment(project: Project, env: str) -> object:
    live(saved(project, "assigned", name="assigned"), env)
    return assign(project, bundle_name="assigned", env=env, by=CONSOLE)[0]


def a_second_deployment(project: Project, env: str) -> object:
    live(saved(project, "one"), env)
    version = saved(project, "two")
    return deploy(version, to=env, by=CONSOLE)[0]


# Setup in an environment, and the operation that the actor then attempts.
Prepare = Callable[[Project, str], object]
OPERATIONS: dict[str, tuple[Action, Prepare, Callable[..., object]]] = {
    "deploy": (
        Action.DEPLOY,
        lambda project, env: saved(project),
        lambda version, env, by: deploy(version, to=env, by=by),
    ),
    "roll back": (
        Action.DEPLOY,
        a_second_deployment,
        lambda deployment, env, by: roll_back(deployment, by=by),
    ),
    "request": (
        Action.DEPLOY,
        lambda project, env: saved(project),
        lambda version, env, by: ask_to_deploy(version, to=env, by=by),
    ),
    "override": (
        Action.OVERRIDE_TESTS,
        lambda project, env: None,
        lambda nothing, env, by: reason_to_override("Urgent", to=env, by=by),
    ),
    "assign": (
        Action.ASSIGN,
        lambda project, env: live(saved(project), env),
        lambda version, env, by: assign(
            version.bundle.project, bundle_name=version.bundle.name, env=env, by=by
        ),
    ),
    "end an assignment": (
        Action.ASSIGN,
        an_assignment,
        lambda assignment, env, by: end_assignment(assignment, by=by),
    ),
    "stop": (
        Action.STOP_AGENT,
        lambda project, env: project,
        lambda project, env, by: stops.stop(project, env=env, agent="bot", by=by),
    ),
    "lift": (
        Action.STOP_AGENT,
        lambda project, env: stops.stop(project, env=env, agent="bot", by=CONSOLE)[0],
        lambda stop, env, by: stops.lift(stop, by=by),
    ),
    "decide an approval": (
        Action.DECIDE_APPROVAL,
        lambda project, env: an_approval(project, env=env),
        lambda approval, env, by: decide(approval, approve=True, by=by),
    ),
    "undo a decision": (
        Action.DECIDE_APPROVAL,
        lambda project, env: decide(
            an_approval(project, env=env), approve=True, by=CONSOLE, with_undo=True
        ),
        lambda approval, env, by: undo(approval, by=by),
    ),
}


def is_let_in(operation: str, project: Project, env: str, by: Actor) -> bool:
    """Whether the actor's role permits the operation, ignoring other errors."""
    _, prepare, act = OPERATIONS[operation]
    thing = prepare(project, env)
    try:
        with suppress(InvalidInput):
            act(thing, env, by)
    except Forbidden:
        return False
    except GovernanceError:
        return True
    return True


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("there", [None, Role.OPERATOR, Role.EDITOR, Role.ADMIN])
def test_an_operation_requires_its_role_in_its_environment(project, operation, there):
    by = actor(project, there)
    needed = ROLE_FOR[OPERATIONS[operation][0]]
    reaches = there is not None and there.reaches(needed)
    assert is_let_in(operation, project, STAGING, by) is reaches
    assert is_let_in(operation, project, PRODUCTION, by) is False


@pytest.mark.parametrize("act", [approve_request, withdraw_request])
def test_deciding_a_request_requires_the_role_in_its_environment(project, act):
    by = actor(project, Role.EDITOR)
    live(saved(project, "first"))
    request = a_request(saved(project, "second"))  # in production
    with pytest.raises(Forbidden, match="editor role in production"):
        act(request, by=by)
    with pytest.raises(Forbidden, match="editor role in production"):
        refuse_request(request, reason="No.", by=by)


def test_every_environment_action_has_a_test():
    tried = {action for action, _, _ in OPERATIONS.values()}
    assert IN_ENVIRONMENT - tried == {Action.ASSIGN_ALONE}  # the same command as ASSIGN


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("base", Role)
@pytest.mark.parametrize("there", Role)
def test_an_environment_role_can_raise_but_never_lower_the_project_role(action, base, there):
    who = Actor(CONSOLE.kind, None, "person", base, environment_roles=((STAGING, there),))
    bound = action in IN_ENVIRONMENT
    needed = ROLE_FOR[action]
    in_staging = base.reaches(needed) or (bound and there.reaches(needed))
    assert may(who, action, STAGING) is in_staging
    assert may(who, action, PRODUCTION) is base.reaches(needed)
    assert may(who, action) is base.reaches(needed)
    assert may_somewhere(who, action) is in_staging


def test_environment_roles_can_be_set_on_the_member_page(project, admin_client):
    member = builders.a_member(project)
    builders.an_environment(project, STAGING)
    path = reverse("governance:change_role", args=[project.slug, member.pk])
    assert "In staging" in admin_client.get(path).text
    admin_client.post(path, {"role": "viewer", "in_0": "editor"})
    assert Member.objects.get(pk=member.pk).environment_roles == {STAGING: "editor"}
    assert (
        "editor in staging"
        in admin_client.get(reverse("governance:members", args=[project.slug])).text
    )
    entry = AuditEntry.objects.get(action="environment roles changed")
    assert entry.details == {"was": [], "roles": ["staging: editor"]}
    admin_client.post(path, {"role": "viewer", "in_0": ""})
    assert Member.objects.get(pk=member.pk).environment_roles == {}
    assert verify(project) is None


def test_a_viewer_with_an_editor_role_in_staging_can_deploy_only_there(project):
    member = builders.a_member(project)
    live(saved(project, "first"), STAGING)
    live(saved(project, "first", name="e"), PRODUCTION)
    set_environment_roles(member, roles={STAGING: Role.EDITOR}, by=CONSOLE)
    version = saved(project, "second")
    browser = builders.signed_in(member.user)
    path = reverse("governance:deploy", args=[project.slug, version.bundle.name])
    assert browser.get(f"{path}?version=2&environment={STAGING}").status_code == 200
    with pytest.raises(Forbidden, match="editor role in production"):
        deploy(version, to=PRODUCTION, by=access_of_member(member).actor)
    assert deploy(version, to=STAGING, by=access_of_member(member).actor)[1]
    write = reverse("governance:new_contract", args=[project.slug])
    assert browser.get(write).status_code == 403


def test_only_a_project_admin_can_set_roles_for_environments_of_the_project(project):
    member = builders.a_member(project)
    staging_admin = actor(project, Role.ADMIN)
    with pytest.raises(Forbidden):
        set_environment_roles(member, roles={STAGING: Role.EDITOR}, by=staging_admin)
    with pytest.raises(InvalidInput, match="No environment elsewhere"):
        set_environment_roles(member, roles={"elsewhere": Role.EDITOR}, by=CONSOLE)

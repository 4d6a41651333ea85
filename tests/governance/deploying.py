"""Environments with requirements, and people and keys that request and approve."""

from datetime import timedelta

from django.utils import timezone

from governance.cases.commands import add_case
from governance.contracts.commands.contracts import save_version
from governance.contracts.queries.contracts import live_in
from governance.core.actor import CONSOLE, Actor, person
from governance.core.cases import Case, CaseCall, Decides
from governance.core.deployment_requests import Required
from governance.core.roles import Role
from governance.deployments import requirements
from governance.deployments.commands.deployments import deploy
from governance.deployments.commands.requests import approve_request, ask_to_deploy
from governance.models import (
    BundleVersion,
    Deployment,
    DeploymentRequest,
    Member,
    Project,
    User,
)
from governance.people.auth import resolve_key
from governance.people.commands.keys import make_key
from governance.people.commands.requirements import require
from tests.governance.contracts.documents import ALWAYS, document, pre

PRODUCTION = "production"


def somebody(name: str = "one", role: Role = Role.EDITOR) -> Actor:
    user, _ = User.objects.get_or_create(email=f"{name}@example.test")
    return person(user.pk, user.email, role)


def a_manage_key(project: Project, *, made_by: str) -> Actor:
    """Actor of a manage key that this person created as an admin of the project."""
    admin = somebody(made_by, Role.ADMIN)
    user = User.objects.get(email=admin.label)
    Member.objects.get_or_create(project=project, user=user, defaults={"role": Role.ADMIN})
    text, _ = make_key(project, name="puppet", env=PRODUCTION, scopes=["manage"], by=admin)
    access = resolve_key(f"Bearer {text}")
    assert access is not None
    return access.actor


def saved(project: Project, message: str = "no", *, name: str = "d") -> BundleVersion:
    text = document(pre(ALWAYS, message=message)).replace("name: d", f"name: {name}")
    return save_version(project, document=text, by=CONSOLE)[0]


def live(version: BundleVersion, env: str = PRODUCTION) -> BundleVersion:
    deploy(version, to=env, by=CONSOLE)
    return version


def a_failing_test(version: BundleVersion) -> str:
    """Add a failing test to a contract that denies every call; returns its failure message."""
    allowed = Decides(call=CaseCall(tool="t"), action="allow")
    add_case(version.bundle, Case("let through", allowed), by=CONSOLE)
    return "The test “let through” fails: expected allowed, got denied by `a`."


def approved(version: BundleVersion, env: str = PRODUCTION) -> BundleVersion:
    """Deploy a version there with a second person's approval."""
    takes_two(version.bundle.project, env)
    body, _ = ask_to_deploy(version, to=env, by=somebody())
    approve_request(body, by=somebody("two"))
    return version


def now_live(version: BundleVersion, env: str = PRODUCTION) -> Deployment:
    deployment = live_in(version.bundle, env)
    assert deployment is not None
    return deployment


def takes_two(project: Project, env: str = PRODUCTION) -> None:
    require(project, env=env, required=Required(second_person=True), by=CONSOLE)


def a_request(version: BundleVersion, *, by: Actor | None = None) -> DeploymentRequest:
    takes_two(version.bundle.project)
    return ask_to_deploy(version, to=PRODUCTION, by=by or somebody())[0]


def expired(request: DeploymentRequest) -> DeploymentRequest:
    request.expires_at = timezone.now() - timedelta(seconds=1)
    request.save(update_fields=["expires_at"])
    return request


def evidence(newly_denied: int) -> requirements.Evidence:
    return requirements.Evidence(
        number=7,
        finished_at=timezone.now(),
        calls=1_000,
        newly_denied=newly_denied,
        newly_allowed=0,
        newly_asking=0,
        changed=0,
        undetermined=0,
        unchanged=1_000 - newly_denied,
    )

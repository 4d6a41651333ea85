"""Deployments: make one version current in an environment, unless something blocks it."""

from collections.abc import Sequence

from django.db import transaction

from governance.audit_log import Detail, record
from governance.case_runs.commands import run_and_store
from governance.case_runs.queries import blocked_by
from governance.contracts.commands.contracts import void_requests
from governance.contracts.queries.contracts import (
    deployment_before,
    live_deployment,
    live_in,
    locked_bundle,
    version_numbered,
)
from governance.core.actor import Actor
from governance.core.deployment_requests import Blocked
from governance.core.errors import Conflict, InvalidInput, Problem
from governance.core.texts import is_storable
from governance.delivery import news
from governance.delivery.commands.documents import keep_renderings, rendered
from governance.delivery.commands.signing import sign
from governance.deployments import requirements
from governance.deployments.queries import lacks_second_person
from governance.models import BundleVersion, Deployment, DeploymentRequest
from governance.people.commands.masking import as_stored
from governance.people.commands.requirements import environment_named
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import locked_project, required_in
from governance.texts.dialect import Dialect

LONGEST_REASON = 2_000


class ApprovalRequired(Conflict):
    code = "approval_required"

    def __init__(self, environment: str) -> None:
        super().__init__(
            f"Deployments to {environment} need approval by a second person. Request it."
        )


def deploy(
    version: BundleVersion, *, to: str, by: Actor, override: str = ""
) -> tuple[Deployment, bool]:
    """Deploy a version. Returns the current deployment and whether it is new.

    `override` is an admin's reason to deploy despite failing tests.
    """
    refuse_unless(by, Action.DEPLOY, to)
    override = reason_to_override(override, to=to, by=by)
    live = live_in(version.bundle, to)
    if live is not None and live.version_id == version.pk:
        return live, False
    failing = blocked_by(run_and_store(version))
    refuse_blocked(unanswered(failing, override))
    return _deploy(version, rendered(version), to=to, by=by, override=override if failing else "")


def roll_back(deployment: Deployment, *, by: Actor) -> Deployment:
    """Deploy the previous version again.

    Its tests are not run again. The environment's requirements apply, and an earlier approval of
    the same bytes counts.
    """
    refuse_unless(by, Action.DEPLOY, deployment.environment.name)
    before = deployment_before(deployment)
    if before is None:
        raise Conflict(
            f"{deployment.version.bundle} has no earlier deployment there.", code="nothing_before"
        )
    version = version_numbered(before.version.bundle, before.version.number)
    assert version is not None  # noqa: S101  # versions are never removed
    return _roll_back(deployment, version, rendered(version), by=by)


def make_live(
    version: BundleVersion,
    renderings: dict[Dialect, bytes],
    *,
    to: str,
    by: Actor,
    override: str = "",
    request: DeploymentRequest | None = None,
) -> Deployment:
    """Create the deployment. Lock the bundle in a transaction and check permissions first."""
    project = version.bundle.project
    environment = environment_named(project, to)
    live = live_deployment(version.bundle, environment)
    override = as_stored(project.pk, override)
    documents = keep_renderings(version, renderings)
    sign(locked_project(project), documents)
    deployment = Deployment.objects.create(
        version=version,
        environment=environment,
        author=(request.author if request else str(by))[:254],
        approved_by=str(by)[:320] if request else "",
        override=override,
    )
    details: dict[str, Detail] = {
        "environment": environment.name,
        "revision_hash": version.revision_hash,
        "was": live.version.number if live else None,
    }
    if request is not None:
        details["asked_by"] = request.author
    if override:
        details["override"] = override
    record(by, "contract deployed", str(version), project=project, details=details)
    void_requests(
        version.bundle,
        environment=environment,
        but=request,
        why=f"v{version.number} was deployed.",
        by=by,
    )
    news.publish(project.pk, environment.pk)
    return deployment


def refuse_lacking(version: BundleVersion, to: str) -> None:
    """Reject a deployment without the backtest that the environment requires."""
    required = required_in(version.bundle.project, to)
    if required.max_newly_denied is not None:
        evidence = requirements.newest_evidence(version, to)
        refuse_blocked(requirements.lacking(evidence, to, required))


def refuse_blocked(blocked: Sequence[Blocked]) -> None:
    if not blocked:
        return
    more = f" (and {len(blocked) - 1} more)" if len(blocked) > 1 else ""
    raise Conflict(
        blocked[0].why + more,
        code=blocked[0].code,
        errors=[Problem(message=each.why, path=each.code) for each in blocked],
    )


def unanswered(failing: Sequence[Blocked], override: str) -> list[Blocked]:
    """Blocking reasons that the admin's override does not cover."""
    return [each for each in failing if not (override and each.overridable)]


def reason_to_override(text: str, *, to: str, by: Actor) -> str:
    text = fitting(text, "override")
    if text:
        refuse_unless(by, Action.OVERRIDE_TESTS, to)
    return text


def fitting(text: str, path: str) -> str:
    text = text.strip()
    if len(text) > LONGEST_REASON or not is_storable(text):
        unfit = f"Use up to {LONGEST_REASON:,} characters, without NUL."
        raise InvalidInput.at(path, unfit)
    return text


@transaction.atomic
def _deploy(
    version: BundleVersion, renderings: dict[Dialect, bytes], *, to: str, by: Actor, override: str
) -> tuple[Deployment, bool]:
    bundle = locked_bundle(version.bundle)
    live = live_in(bundle, to)
    if live is not None and live.version_id == version.pk:
        return live, False
    refuse_lacking(version, to)
    if required_in(bundle.project, to).second_person:
        raise ApprovalRequired(to)
    return make_live(version, renderings, to=to, by=by, override=override), True


@transaction.atomic
def _roll_back(
    deployment: Deployment, version: BundleVersion, renderings: dict[Dialect, bytes], *, by: Actor
) -> Deployment:
    bundle, environment = locked_bundle(version.bundle), deployment.environment
    live = live_deployment(bundle, environment)
    if live is None or live.pk != deployment.pk:
        raise Conflict(f"This deployment was replaced in {environment.name}.", code="moved_on")
    refuse_lacking(version, environment.name)
    required = required_in(bundle.project, environment.name)
    if lacks_second_person(version, environment, required):
        raise ApprovalRequired(environment.name)
    details: dict[str, Detail] = {
        "environment": environment.name,
        "from": deployment.version.number,
    }
    record(by, "contract rolled back", str(version), project=bundle.project, details=details)
    return make_live(version, renderings, to=environment.name, by=by)

"""Pages to deploy a version, with its plan and requirements, and to show a deployment."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.contracts.queries.contracts import (
    deployment_before,
    deployment_numbered,
    live_in,
    version_numbered,
    version_of,
)
from governance.contracts.views.tabs import newest_named
from governance.contracts.views.use import use_context
from governance.contracts.views.version_choices import version_choices
from governance.core.actor import shown
from governance.core.cases import PRODUCTION
from governance.core.deployment_requests import NOTHING_REQUIRED, Required
from governance.core.errors import Conflict, Forbidden, GovernanceError, InvalidInput, NotFound
from governance.deployments.commands import deployments
from governance.deployments.commands.deployments import ApprovalRequired
from governance.deployments.commands.requests import ask_to_deploy
from governance.deployments.forms import DeployForm, PlaceForm
from governance.deployments.queries import Plan, lacks_second_person, meaning_between, plan_of
from governance.models import BundleVersion, Deployment
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.people.queries.projects import required_in, requirements_by_environment
from governance.web.exports import offer_part
from governance.web.forms import sent


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.DEPLOY)
def deploy(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Choose a version and an environment, show the plan, and deploy or request approval."""
    required = requirements_by_environment(request.project)
    chosen = {
        "version": request.GET.get("version", ""),
        "environment": request.GET.get("environment", "") or _only(required),
    }
    newest = None if chosen["version"] else newest_named(request, bundle_name)[0]
    if newest is not None:
        chosen["version"] = str(newest.number)
    is_chosen = bool(chosen["environment"]) and "choose" not in request.GET
    usual = PRODUCTION if PRODUCTION in required else ""
    initial = chosen | {"environment": chosen["environment"] or usual}
    place = PlaceForm(chosen if is_chosen else None, initial=initial)
    context: dict[str, Any] = {
        "page_title": f"Deploy {bundle_name}",
        "bundle_name": bundle_name,
        "place": place,
        "places": list(required),
    }
    if not place.is_valid():
        status = 422 if place.errors else 200
        context["versions"] = version_choices(request.project, bundle_name, chosen["version"])
        return render(request, "deployments/deploy.html", context, status=status)
    environment = place.cleaned_data["environment"]
    version = newest or version_of(request.project, bundle_name, place.cleaned_data["version"])
    if version is None:
        raise NotFound("Version not found.")
    required_there = required.get(environment, NOTHING_REQUIRED)
    form, refused = DeployForm(sent(request)), None
    if request.method == "POST" and form.is_valid():
        try:
            return _done(request, version, environment, required_there, form)
        except (Conflict, InvalidInput, Forbidden) as error:
            refused = error
    plan = plan_of(version, environment, required_there)
    form.initial = {"seen": plan.live.pk if plan.live else 0}
    context |= _plan_context(request, plan) | {"form": form}
    if refused is not None and refused.code == "tests_failing" and context["can_override"]:
        form.add_error("override", "Enter a reason to deploy despite failing tests.")
    elif refused is not None:
        form.take(refused)
    return render(request, "deployments/deploy.html", context, status=422 if form.errors else 200)


@require_safe
@member_page()
def deployment(request: MemberRequest, deployment_id: int) -> HttpResponse:
    """Page of a deployment. The current one shows what rolling back would change."""
    row = _deployment(request, deployment_id)
    before = deployment_before(row)
    live = live_in(row.version.bundle, row.environment.name)
    is_live = live is not None and live.pk == row.pk
    context: dict[str, Any] = {
        "page_title": f"{row.version} in {row.environment.name}",
        "place": f"v{row.version.number} in {row.environment.name}",
        "deployment": row,
        "by": shown(row.author),
        "approved_by": shown(row.approved_by),
        "before": before,
        "live": live,
        "is_live": is_live,
        "changes": meaning_between(before.version if before else None, row.version),
        "may_deploy": may(request.actor, Action.DEPLOY, row.environment.name),
    }
    place = row.environment.name
    context |= use_context(request, row.version.bundle.name, [place] if live else [], place)
    offer_part(
        request,
        "agents",
        "outcomes:taking",
        table="agents",
        bundle=row.version.bundle.name,
        environment=row.environment.name,
        version=str(row.version.number),
    )
    if is_live and before is not None:
        required = required_in(request.project, row.environment.name)
        context |= {
            "back": meaning_between(row.version, before.version),
            "takes_two": lacks_second_person(before.version, row.environment, required),
        }
    return render(request, "deployments/deployment.html", context)


@require_POST
@member_page(Action.DEPLOY)
def roll_back(request: MemberRequest, deployment_id: int) -> HttpResponse:
    """Roll back, or request approval if the environment requires a second person."""
    row = _deployment(request, deployment_id)
    slug, place = request.project.slug, row.environment.name
    try:
        made = deployments.roll_back(row, by=request.actor)
    except ApprovalRequired:
        return _ask_to_go_back(request, row)
    except GovernanceError as error:
        messages.error(request, str(error))
        return redirect("governance:deployment", slug, row.pk)
    messages.success(request, f"Rolled back to {made.version} in {place}.")
    return redirect("governance:deployment", slug, made.pk)


def _ask_to_go_back(request: MemberRequest, row: Deployment) -> HttpResponse:
    slug, place, before = request.project.slug, row.environment.name, _before(row)
    try:
        waiting, _ = ask_to_deploy(
            before, to=place, by=request.actor, message=f"Roll back from v{row.version.number}"
        )
    except GovernanceError as error:
        messages.error(request, str(error))
        return redirect("governance:deployment", slug, row.pk)
    messages.info(request, f"Sent for approval. {before} is deployed to {place} once approved.")
    return redirect("governance:request", slug, waiting.pk)


def _done(
    request: MemberRequest,
    version: BundleVersion,
    environment: str,
    required: Required,
    form: DeployForm,
) -> HttpResponse:
    """Deploy or request approval. Only the command checks what blocks it, so tests run once."""
    data, slug = form.cleaned_data, request.project.slug
    live = live_in(version.bundle, environment)
    if data["seen"] != (live.pk if live else 0):
        raise Conflict(
            "Another version was deployed since you opened this page. Check the new plan."
        )
    if required.second_person and not (live and live.version_id == version.pk):
        waiting, _ = ask_to_deploy(
            version,
            to=environment,
            by=request.actor,
            message=data["message"],
            override=data["override"],
        )
        return redirect("governance:request", slug, waiting.pk)
    made, is_new = deployments.deploy(
        version, to=environment, by=request.actor, override=data["override"]
    )
    if not is_new:
        messages.info(request, f"{made.version} was already deployed.")
    return redirect("governance:deployment", slug, made.pk)


def _plan_context(request: MemberRequest, plan: Plan) -> dict[str, Any]:
    can_override = plan.can_be_overridden and may(
        request.actor, Action.OVERRIDE_TESTS, plan.environment
    )
    return {
        "plan": plan,
        "version": plan.version,
        "changes": plan.changes,
        "live_by": shown(plan.live.author) if plan.live else "",
        "can_override": can_override,
        "is_open": not plan.is_live
        and not plan.is_requested
        and (not plan.blocked or can_override),
    }


def _only(environments: Mapping[str, object]) -> str:
    return next(iter(environments)) if len(environments) == 1 else ""


def _before(deployment: Deployment) -> BundleVersion:
    """Previously deployed version, with its document."""
    before = deployment_before(deployment)
    bundle = deployment.version.bundle
    version = version_numbered(bundle, before.version.number) if before else None
    if version is None:
        raise NotFound("No earlier deployment to roll back to.")
    return version


def _deployment(request: MemberRequest, number: int) -> Deployment:
    row = deployment_numbered(request.project, number) if number < 2**63 else None
    if row is None:
        raise NotFound("Deployment not found.")
    return row

"""Deploying a version: what that would change, what holds it back, and the way back."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance import commands, queries
from governance.auth import MemberRequest, member_page
from governance.domain.actor import shown
from governance.domain.deploying import NOTHING_REQUIRED
from governance.domain.errors import Conflict, Forbidden, GovernanceError, InvalidInput, NotFound
from governance.forms import DeployForm, PlaceForm, sent
from governance.models import BundleVersion, Deployment
from governance.policies import Action, may
from governance.queries.deployments import version_of
from governance.queries.plans import Plan, meaning_between, plan_of


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.DEPLOY)
def deploy(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Asks where, then tells what follows; posted, it deploys or asks a second person."""
    required = queries.requirements_by_environment(request.project)
    chosen = {
        "version": request.GET.get("version", ""),
        "environment": request.GET.get("environment", "") or _only(required),
    }
    newest = None if chosen["version"] else _newest(request, bundle_name)
    if newest is not None:
        chosen["version"] = str(newest.number)
    place = PlaceForm(chosen if chosen["environment"] else None, initial=chosen)
    context: dict[str, Any] = {
        "page_title": f"Deploy {bundle_name}",
        "bundle_name": bundle_name,
        "place": place,
        "places": list(required),
    }
    if not place.is_valid():
        status = 422 if place.errors else 200
        return render(request, "governance/deploy.html", context, status=status)
    environment = place.cleaned_data["environment"]
    version = newest or version_of(request.project, bundle_name, place.cleaned_data["version"])
    if version is None:
        raise NotFound("There is no such version.")
    plan = plan_of(version, environment, required.get(environment, NOTHING_REQUIRED))
    form = DeployForm(sent(request), initial={"seen": plan.live.pk if plan.live else 0})
    if request.method == "POST" and form.is_valid():
        try:
            return _done(request, plan, form)
        except (Conflict, InvalidInput, Forbidden) as error:
            form.take(error)
    context |= _of_plan(request, plan) | {"form": form}
    return render(request, "governance/deploy.html", context, status=422 if form.errors else 200)


@require_safe
@member_page()
def deployment(request: MemberRequest, deployment_id: int) -> HttpResponse:
    found = _deployment(request, deployment_id)
    before = queries.deployment_before(found)
    live = queries.live_in(found.version.bundle, found.environment.name)
    context = {
        "page_title": f"{found.version} in {found.environment.name}",
        "place": f"v{found.version.number} in {found.environment.name}",
        "deployment": found,
        "by": shown(found.author),
        "approved_by": shown(found.approved_by),
        "before": before,
        "live": live,
        "is_live": live is not None and live.pk == found.pk,
        "changes": meaning_between(before.version if before else None, found.version),
        "may_deploy": may(request.role, Action.DEPLOY),
    }
    return render(request, "governance/deployment.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.DEPLOY)
def roll_back(request: MemberRequest, deployment_id: int) -> HttpResponse:
    found = _deployment(request, deployment_id)
    slug = request.project.slug
    if request.method == "POST":
        try:
            made = commands.roll_back(found, by=request.actor)
        except GovernanceError as error:
            messages.error(request, str(error))
            return redirect("governance:deployment", slug, found.pk)
        messages.success(request, f"{made.version} is live again in {made.environment.name}.")
        return redirect("governance:deployment", slug, made.pk)
    before = queries.deployment_before(found)
    live = queries.live_in(found.version.bundle, found.environment.name)
    if before is None or live is None or live.pk != found.pk:
        return redirect("governance:deployment", slug, found.pk)
    context = {
        "page_title": f"Roll back {found.version.bundle}",
        "deployment": found,
        "before": before,
        "changes": meaning_between(found.version, before.version),
    }
    return render(request, "governance/roll_back.html", context)


def _done(request: MemberRequest, plan: Plan, form: DeployForm) -> HttpResponse:
    wanted, slug = form.cleaned_data, request.project.slug
    if wanted["seen"] != (plan.live.pk if plan.live else 0):
        raise Conflict(
            "Another version went live here since you opened this page; what changes is told anew."
        )
    if plan.required.second_person and not plan.is_live:
        asked, _ = commands.ask_to_deploy(
            plan.version,
            to=plan.environment,
            by=request.actor,
            message=wanted["message"],
            override=wanted["override"],
        )
        return redirect("governance:request", slug, asked.pk)
    made, is_new = commands.deploy(
        plan.version, to=plan.environment, by=request.actor, override=wanted["override"]
    )
    if not is_new:
        messages.info(request, f"{made.version} was live there already.")
    return redirect("governance:deployment", slug, made.pk)


def _of_plan(request: MemberRequest, plan: Plan) -> dict[str, Any]:
    can_override = plan.can_be_overridden and may(request.role, Action.OVERRIDE_TESTS)
    return {
        "plan": plan,
        "version": plan.version,
        "environment_named": plan.environment,
        "changes": plan.changes,
        "live_by": shown(plan.live.author) if plan.live else "",
        "can_override": can_override,
        "is_open": not plan.is_live
        and not plan.is_asked_for
        and (not plan.blocked or can_override),
    }


def _only(environments: Mapping[str, object]) -> str:
    return next(iter(environments)) if len(environments) == 1 else ""


def _newest(request: MemberRequest, bundle_name: str) -> BundleVersion:
    bundle = queries.bundle_named(request.project, bundle_name)
    found = queries.newest_version(bundle) if bundle else None
    if found is None:
        raise NotFound("There is no such contract.")
    return found


def _deployment(request: MemberRequest, number: int) -> Deployment:
    found = queries.deployment_numbered(request.project, number) if number < 2**63 else None
    if found is None:
        raise NotFound("There is no such deployment.")
    return found

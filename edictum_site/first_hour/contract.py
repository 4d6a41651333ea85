"""Step 3 of Start: save and deploy a first contract from a template, on the same page."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from edictum_site.first_hour.progress import progress_of
from governance.contracts.commands.contracts import save_version
from governance.contracts.domain.templates import Template, template_named
from governance.contracts.queries.bundles import free_name, newest_saved_version
from governance.core.errors import GovernanceError, NotFound
from governance.deployments.commands.deployments import deploy
from governance.models import BundleVersion
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.texts.metadata import under_name


@require_POST
@member_page(Action.DEPLOY)
def deploy_first(request: MemberRequest) -> HttpResponse:
    """Deploy the newest version to the key's environment; a template is saved as one first."""
    environment = progress_of(request.project).environment
    try:
        version = _version(request)
        deploy(version, to=environment, by=request.actor)
    except GovernanceError as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"{version} is deployed to {environment}.")
    return redirect("first_hour:start", slug=request.project.slug)


def _version(request: MemberRequest) -> BundleVersion:
    saved = newest_saved_version(request.project)
    if saved is not None:
        return saved
    template = template_named(request.POST.get("template", ""))
    if template is None:
        raise NotFound("Choose a template.")
    return _saved(request, template)


def _saved(request: MemberRequest, template: Template) -> BundleVersion:
    text = under_name(template.document.text, free_name(request.project, template.name))
    message = f"From the template {template.title}"
    version, _ = save_version(request.project, document=text, message=message, by=request.actor)
    return version

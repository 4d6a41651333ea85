"""Page that switches a contract to enforce: it shows the changed line and saves the version."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from governance.contracts.commands.contracts import enforce as make_enforcing
from governance.contracts.domain.enforcing import enforced
from governance.contracts.queries.contracts import version_of
from governance.core.errors import GovernanceError, NotFound
from governance.core.numbers import parse_number
from governance.models import BundleVersion
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.texts.document import read_document


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def enforce(request: MemberRequest, bundle_name: str) -> HttpResponse:
    version = _version(request, bundle_name)
    environment = request.GET.get("environment", "")
    if request.method == "POST":
        try:
            made, _ = make_enforcing(version, by=request.actor)
        except GovernanceError as error:
            messages.error(request, str(error))
        else:
            chosen = urlencode({"version": made.number, "environment": environment})
            address = reverse("governance:deploy", args=[request.project.slug, bundle_name])
            messages.success(request, f"{made} saved. Deploy it to enforce.")
            return redirect(f"{address}?{chosen}")
    document = read_document(bytes(version.document))
    text = enforced(document)
    lines = document.text.splitlines()
    context = {
        "page_title": f"Enforce {bundle_name}",
        "version": version,
        "bundle_name": bundle_name,
        "found": text,
        "before": lines[text.line - 1] if text else "",
        "after": text.text.splitlines()[text.line - 1] if text else "",
    }
    return render(request, "contracts/enforce.html", context)


def _version(request: MemberRequest, bundle_name: str) -> BundleVersion:
    number = parse_number(request.GET.get("version"))
    version = None if number is None else version_of(request.project, bundle_name, number)
    if version is None:
        raise NotFound("Version not found.")
    return version

"""Ways to start a success check. Each creates a draft, which the editor checks and saves."""

from typing import Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from governance.checks.commands.drafts import begin_check_draft
from governance.checks.forms import CheckForm
from governance.checks.queries.checks import (
    Origin,
    free_check_name,
    newest_check_versions,
    ours,
    ours_named,
    own_version,
)
from governance.checks.tables import SHIPPED
from governance.core.errors import InvalidInput, NotFound
from governance.models import Project
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.texts.metadata import under_name
from governance.web.forms import sent
from governance.web.table_files import one_of_tables

CHOICES: Final = 500
EMPTY: Final = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata:
  name: {name}
  description: ""
otherwise: default  # when no rule matches: success, failure, unknown, default
{include}rules: []  # in order; the first match decides
examples: []  # run on every save; a failing example blocks it
"""


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CHECK)
def new_check(request: MemberRequest) -> HttpResponseBase:
    shipped = [each for each in ours() if each.origin is Origin.SHIPPED]
    if request.method != "POST":
        file = one_of_tables(request, request.project, {"shipped": (SHIPPED, shipped)})
        if file is not None:
            return file
    given = sent(request)
    start = given.get("from") if given is not None else None
    form = CheckForm(given, request.FILES or None)
    try:
        if isinstance(start, str):
            return _begun(request, _from(request.project, start))
        if given is not None and form.is_valid():
            return _begun(request, form.written())
    except InvalidInput as refused:
        form = CheckForm(given, request.FILES or None)
        form.take(refused)
    context = {
        "page_title": "New success check",
        "shipped": shipped,
        "own": newest_check_versions(request.project, "", CHOICES),
        "form": form,
    }
    status = 200 if given is None else 422
    return render(request, "checks/new_check.html", context, status=status)


def _begun(request: MemberRequest, text: str) -> HttpResponse:
    draft = begin_check_draft(request.project, text=text, by=request.actor)
    return redirect("governance:edit_new_check_draft", request.project.slug, draft.pk)


def _from(project: Project, start: str) -> str:
    """Empty check, copy of a check, or a check that includes a built-in one, under a free name."""
    kind, _, name = start.partition(":")
    if kind == "empty":
        return EMPTY.format(name=free_check_name(project, "our-check"), include="")
    brought = ours_named(name)
    if kind == "include" and brought is not None and brought.origin is Origin.SHIPPED:
        include = f"include: [{name}]\n"
        return EMPTY.format(name=free_check_name(project, f"our-{name}"), include=include)
    if kind == "copy" and (version := own_version(project, name)):
        text = bytes(version.document).decode()
        return under_name(text, free_check_name(project, name))
    if kind == "copy" and brought is not None:
        return under_name(brought.text, free_check_name(project, f"our-{name}"))
    raise NotFound("Check not found.")

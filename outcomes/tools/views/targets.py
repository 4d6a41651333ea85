"""Forms for success targets of a project and its tools. Rates below a target are shown in red."""

from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from governance.core.errors import InvalidInput
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.projects.commands import set_success_target
from governance.web.forms import Form, sent
from outcomes.figures.queries.targets import tool_targets
from outcomes.tools.commands import set_tool_target

PERCENT: Final = 100


class TargetForm(Form):
    tool = forms.CharField(
        label="Tool", max_length=1_024, required=False, help_text="Empty: all tools of the project."
    )
    percent = forms.DecimalField(
        label="Target, %",
        min_value=0,
        max_value=PERCENT,
        decimal_places=1,
        required=False,
        help_text="Empty: use the project's target.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.SET_TARGET)
def success_targets(request: MemberRequest) -> HttpResponse:
    form = TargetForm(sent(request), initial={"tool": request.GET.get("tool", "")})
    if form.is_valid() and _is_set(request, form):
        messages.success(request, "Target saved.")
        return redirect("outcomes:success_targets", request.project.slug)
    context = {
        "page_title": "Success targets",
        "form": form,
        "targets": sorted(tool_targets(request.project.pk).items()),
    }
    status = 422 if form.errors else 200
    return render(request, "tools/success_targets.html", context, status=status)


def _is_set(request: MemberRequest, form: TargetForm) -> bool:
    tool, percent = form.cleaned_data["tool"].strip(), form.cleaned_data["percent"]
    target = None if percent is None else float(percent) / PERCENT
    try:
        if tool:
            set_tool_target(request.project, tool, target=target, by=request.actor)
        else:
            set_success_target(request.project, target=target, by=request.actor)
    except InvalidInput as error:
        form.take(error)
        return False
    return True

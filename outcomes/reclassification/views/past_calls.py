"""Offer to reclassify recorded calls after their bindings or checks have changed."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.checks.queries import checks
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from outcomes.reclassification.queries.past_calls import past_calls, tools_named
from outcomes.recorded_calls.selection import MOST_GLOBS


@require_safe
@member_page()
def past_calls_part(request: MemberRequest) -> HttpResponse:
    """Number of past calls of the tools that match `tool`, with a link to the filled-in form.
    Empty if none has an outdated verdict, unless `of` names something that just changed."""
    project = request.project.pk
    globs = [glob for glob in request.GET.getlist("tool") if glob and "\0" not in glob]
    tools = tools_named(project, globs[:MOST_GLOBS])
    past = past_calls(project, tools, checks.judges(project))
    if not past.calls and not request.GET.get("of"):
        return HttpResponse()
    context = {
        "past": past,
        "globs": [] if "*" in globs else globs[:MOST_GLOBS],
        "may_write": may(request.role, Action.WRITE_CHECK),
    }
    return render(request, "reclassification/_past_calls.html", context)

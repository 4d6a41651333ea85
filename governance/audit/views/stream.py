"""Page to configure the stream that sends the log to another system."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from governance.audit.commands.stream import remove_stream, set_stream
from governance.audit.forms import StreamForm
from governance.audit.queries import audit_length, stream_of
from governance.core.errors import InvalidInput
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.web.forms import sent


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_SETTINGS)
def stream(request: MemberRequest) -> HttpResponse:
    row = stream_of(request.project)
    form = StreamForm(sent(request), initial={"url": row.url if row else ""})
    if form.is_valid():
        try:
            set_stream(request.project, **form.cleaned_data, by=request.actor)
        except InvalidInput as error:
            form.take(error)
        else:
            messages.success(request, "Stream saved. The log is sent within a minute.")
            return redirect("governance:audit_stream", request.project.slug)
    length = audit_length(request.project)
    context = {
        "page_title": "Stream",
        "form": form,
        "stream": row,
        "waiting": max(0, length - row.delivered) if row else 0,
    }
    status = 422 if form.errors else 200
    return render(request, "audit/stream.html", context, status=status)


@require_POST
@member_page(Action.MANAGE_SETTINGS)
def end_stream(request: MemberRequest) -> HttpResponse:
    remove_stream(request.project, by=request.actor)
    messages.success(request, "Stream removed.")
    return redirect("governance:audit_stream", request.project.slug)

"""Deleting a session: what would go, and the button, once its id was typed."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from governance.core.errors import InvalidInput
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from outcomes.jobs import doorbell
from outcomes.sessions.commands.removal import remove_session
from outcomes.web.named import named_session, session_at


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.DELETE_SESSION)
def delete_session(request: MemberRequest) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    refused = ""
    if request.method == "POST":
        typed = request.POST.get("typed", "").strip()
        try:
            remove_session(session, typed=typed, by=request.actor)
        except InvalidInput as error:
            refused = str(error)
        else:
            doorbell.ring_for_jobs()
            messages.success(request, "The session is deleted. What it held goes now.")
            return redirect("outcomes:sessions", request.project.slug)
    context = {
        "page_title": "Delete a session",
        "session": session,
        "refused": refused,
        "back": session_at(request, session),
    }
    status = 422 if refused else 200
    return render(request, "sessions/delete_session.html", context, status=status)

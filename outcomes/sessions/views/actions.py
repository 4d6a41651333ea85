"""Actions on a session: notes, reset of its counters, and removal."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from governance.core.errors import Conflict, InvalidInput
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from outcomes.jobs import doorbell
from outcomes.models import Session
from outcomes.session_store.queries import counters_of
from outcomes.sessions.commands import notes
from outcomes.sessions.commands.counters import reset_counters
from outcomes.sessions.commands.removal import remove_session
from outcomes.web.addresses import named_session, session_at

COUNTERS_SHOWN = 200
COUNTER_WORDS = {
    "attempts": "Attempts, including denied calls",
    "execs": "Executions",
    "consec_fail": "Failures in a row",
}


@require_POST
@member_page(Action.WRITE_NOTE)
def write_note(request: MemberRequest) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    try:
        notes.write_note(session, request.POST.get("text", ""), by=request.actor)
    except InvalidInput as refused:
        messages.error(request, str(refused))
    return _back(request, session)


@require_POST
@member_page(Action.WRITE_NOTE)
def remove_note(request: MemberRequest, note_id: int) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    notes.remove_note(session, note_id, by=request.actor)
    messages.success(request, "Note removed.")
    return _back(request, session)


def _back(request: MemberRequest, session: Session) -> HttpResponse:
    page = session_at(request, session)
    return redirect(f"{page}#notes")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.DELETE_SESSION)
def delete_session(request: MemberRequest) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    refused = ""
    if request.method == "POST":
        typed = request.POST.get("typed", "").strip()
        try:
            removal = remove_session(session, typed=typed, by=request.actor)
        except (Conflict, InvalidInput) as error:
            refused = str(error)
        else:
            doorbell.ring(doorbell.REMOVE_SESSION, removal)
            messages.success(request, "Session deleted.")
            return redirect("outcomes:sessions", request.project.slug)
    context = {
        "page_title": "Delete a session",
        "session": session,
        "refused": refused,
        "back": session_at(request, session),
    }
    status = 422 if refused else 200
    return render(request, "sessions/delete_session.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.RESET_SESSION)
def reset_session(request: MemberRequest) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    back = session_at(request, session)
    if request.method == "POST":
        if reset_counters(session, by=request.actor):
            messages.success(request, "Counters reset.")
        else:
            messages.info(request, "No counters to reset.")
        return redirect(back)
    counters = counters_of(session)
    context = {
        "page_title": "Reset counters",
        "session": session,
        "back": back,
        "counters": [
            (COUNTER_WORDS.get(counter.name, ""), counter) for counter in counters[:COUNTERS_SHOWN]
        ],
        "more": max(0, len(counters) - COUNTERS_SHOWN),
    }
    return render(request, "sessions/reset_session.html", context)

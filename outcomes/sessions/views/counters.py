"""Letting a session count from zero again: what it has counted, and the button."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from outcomes.session_store.queries import counters_of
from outcomes.sessions.commands.counters import reset_counters
from outcomes.web.named import named_session, session_at

SHOWN = 200
WORDS = {
    "attempts": "Attempts, denied ones included",
    "execs": "Executions",
    "consec_fail": "Failures in a row",
}


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.RESET_SESSION)
def reset_session(request: MemberRequest) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    back = session_at(request, session)
    if request.method == "POST":
        if reset_counters(session, by=request.actor):
            messages.success(request, "The session counts from zero again.")
        else:
            messages.info(request, "Nothing was counted in this session, so nothing was reset.")
        return redirect(back)
    counters = counters_of(session)
    context = {
        "page_title": "Reset counters",
        "session": session,
        "back": back,
        "counters": [(WORDS.get(each.name, ""), each) for each in counters[:SHOWN]],
        "more": max(0, len(counters) - SHOWN),
    }
    return render(request, "sessions/reset_session.html", context)

"""Notes on a session: writing one, and removing one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from governance.core.errors import InvalidInput
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from outcomes.models import Session
from outcomes.sessions.commands import notes
from outcomes.web.named import named_session, session_at


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
    messages.success(request, "The note is removed.")
    return _back(request, session)


def _back(request: MemberRequest, session: Session) -> HttpResponse:
    page = session_at(request, session)
    return redirect(f"{page}#notes")

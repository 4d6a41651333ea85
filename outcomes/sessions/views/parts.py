"""Parts of a session's page that are fetched when somebody opens them: what a turn may replay, and
how an artifact begins."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest, member_page
from outcomes.artifacts.queries.artifacts import artifact_with
from outcomes.artifacts.queries.pieces import beginning_of
from outcomes.sessions.queries.details import turn_told
from outcomes.web.named import named_session, session_at
from outcomes.web.parts import shown_part

PAGE = "sessions/session_part.html"
SHOWN = 100  # arguments of one tool


@require_safe
@member_page()
def turn(request: MemberRequest) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    turn_id = request.GET.get("turn", "")
    told = turn_told(session, turn_id)
    if told is None:
        raise NotFound("There is no such turn.")
    record = [
        (tool, [(how, each[:SHOWN], len(each)) for how, each in kept.items() if each])
        for tool, kept in told.replay.items()
    ]
    context = {
        "page_title": f"Turn {turn_id}" if turn_id else "Calls without a turn",
        "session": session,
        "turn": told,
        "record": record,
        "back": session_at(request, session),
    }
    return shown_part(request, "sessions/_turn.html", PAGE, context)


@require_safe
@member_page()
def artifact_preview(request: MemberRequest, sha256: str) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    artifact = artifact_with(request.project.pk, sha256, None)
    if artifact is None:
        raise NotFound("There is no such artifact.")
    context = {
        "page_title": "Artifact",
        "session": session,
        "artifact": artifact,
        "preview": beginning_of(request.project.pk, artifact.sha256),
        "back": session_at(request, session),
    }
    return shown_part(request, "sessions/_artifact_preview.html", PAGE, context)

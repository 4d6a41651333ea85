"""Parts of the session page that load when opened: the replay record of a turn, and the beginning
of an artifact."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest, member_page
from outcomes.artifacts.queries.artifacts import artifact_with
from outcomes.artifacts.queries.pieces import beginning_of
from outcomes.sessions.queries.details import turn_details
from outcomes.web.addresses import named_session, session_at
from outcomes.web.paging import shown_part

PAGE = "sessions/session_part.html"
SHOWN = 100  # arguments of one tool


@require_safe
@member_page()
def turn(request: MemberRequest) -> HttpResponse:
    session = named_session(request, request.GET.get("of", ""))
    turn_id = request.GET.get("turn", "")
    details = turn_details(session, turn_id)
    if details is None:
        raise NotFound("Turn not found.")
    record = [
        (
            tool,
            [
                (how, arguments[:SHOWN], len(arguments))
                for how, arguments in record_of_tool.items()
                if arguments
            ],
        )
        for tool, record_of_tool in details.replay.items()
    ]
    context = {
        "page_title": f"Turn {turn_id}" if turn_id else "Calls without a turn ID",
        "session": session,
        "turn": details,
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
        raise NotFound("Artifact not found.")
    context = {
        "page_title": "Artifact",
        "session": session,
        "artifact": artifact,
        "preview": beginning_of(request.project.pk, artifact.sha256),
        "back": session_at(request, session),
    }
    return shown_part(request, "sessions/_artifact_preview.html", PAGE, context)

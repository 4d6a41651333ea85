"""Tools that read sessions, calls, artifacts, figures, alerts and suggestions."""

from html import unescape
from typing import Any

from django.utils import timezone
from django.utils.html import strip_tags

from edictum_site.mcp.caller import Caller
from edictum_site.mcp.schemas import CALLS, FLAG, PAGED, TEXT, WINDOW, fields
from edictum_site.mcp.tool import Answer, Arguments, Tool
from governance.alerts.queries import resolved_alerts, snoozed_alerts
from governance.core.errors import NotFound
from governance.models import Finding
from governance.people.queries.projects import project_numbered
from outcomes.alerts.queries import OPEN_SHOWN, listed_alerts
from outcomes.alerts.words import title_of
from outcomes.artifacts.domain.pieces.kinds import Shown
from outcomes.artifacts.domain.pieces.texts import LINES
from outcomes.artifacts.queries.artifacts import artifact_with
from outcomes.artifacts.queries.pieces import Place, piece_of
from outcomes.jobs.queries import backlog
from outcomes.sessions.queries.page import asking_sessions, session_page, state_of
from outcomes.sessions.views.session import session_summary
from outcomes.sessions.words.sentences import second_sentence, session_sentence
from outcomes.stored.queries import session_named
from outcomes.web.addresses import artifact_url, call_url, session_url

USUAL = 20  # default number of rows


def list_sessions(caller: Caller, given: Arguments) -> Answer:
    result = caller.get("agent-sessions", **{"limit": USUAL, **given})
    return Answer(result, caller.page("outcomes:sessions"))


def get_session(caller: Caller, given: Arguments) -> Answer:
    """Session with the sentences at the top of its page."""
    env = given.get("env", "")
    result = caller.get("agent-sessions", given["session_id"], env=env)
    session = session_named(caller.access.project_id, given["session_id"], env)
    if session is None:
        raise NotFound("Session not found.")
    page, now = session_page(session), timezone.now()
    summary = session_summary(
        page, state_of(session, now, asking_sessions(session.project_id, now))
    )
    sentences = (session_sentence(summary), second_sentence(summary))
    headline, cause = (unescape(strip_tags(each)) for each in sentences)
    url = session_url(caller.access.project_slug, session.session_id, session.environment.name)
    known = {"state": summary.state, "headline": headline, "cause": cause or None}
    return Answer(known | result, caller.address(url))


def list_calls(caller: Caller, given: Arguments) -> Answer:
    result = caller.get("outcomes", **{"limit": USUAL, **given})
    return Answer(result, caller.page("outcomes:calls"))


def get_call(caller: Caller, given: Arguments) -> Answer:
    result = caller.get("outcomes", given["call_id"], env=given.get("env", ""))
    url = call_url(caller.access.project_slug, result["call_id"], result["environment"])
    return Answer(result, caller.address(url))


def read_artifact(caller: Caller, given: Arguments) -> Answer:
    """Lines of an artifact as its page shows them to any member, with secrets masked."""
    stored = artifact_with(caller.access.project_id, given["artifact_id"], None)
    if stored is None or stored.removed_at is not None:
        raise NotFound("Artifact not found, or retention removed its content.")
    place = Place(line=given.get("first_line", 1))
    piece = piece_of(stored.project_id, stored.sha256, "text/plain", Shown.TEXT.value, place)
    if piece is None or piece.text is None:
        raise NotFound("This artifact can't be read as text. Its page shows it.")
    shown = piece.text.lines[: given.get("lines", LINES)]
    result = {
        "media_type": stored.media_type,
        "size_bytes": piece.size_bytes,
        "lines_in_all": piece.lines,
        "lines": [{"line": each.number, "text": each.text} for each in shown],
    }
    url = artifact_url(caller.access.project_slug, given["artifact_id"])
    return Answer(result, caller.address(url))


def get_figures(caller: Caller, given: Arguments) -> Answer:
    return Answer(caller.get("stats", **given), caller.page("outcomes:tools"))


def list_denial_reasons(caller: Caller, given: Arguments) -> Answer:
    result = caller.get("stats", by="reason", type="denied", **given)
    return Answer(result, caller.page("outcomes:denials"))


def list_alerts(caller: Caller, given: Arguments) -> Answer:
    project, env = project_numbered(caller.access.project_id), given.get("env", "")
    match given.get("state", "open"):
        case "snoozed":
            result = snoozed_alerts(project, OPEN_SHOWN, env)
        case "resolved":
            result = resolved_alerts(project, environment=env)
        case _:
            result = listed_alerts(project, backlog(project.pk), environment=env)
    rows = [_alert(caller, each) for each in result]
    return Answer({"alerts": rows}, caller.page("outcomes:alerts"))


def _alert(caller: Caller, alert: Finding) -> dict[str, Any]:
    return {
        "title": title_of(alert),
        "cause": alert.why,
        "severity": alert.get_severity_display(),
        "environment": alert.environment or None,
        "since": alert.since and alert.since.isoformat(),
        "page": caller.address(alert.link) if alert.link else None,
    }


def list_suggestions(caller: Caller, given: Arguments) -> Answer:
    result = caller.get("success-check-suggestions", **given)
    return Answer(result, caller.page("outcomes:suggestions"))


LINE = {"type": "integer", "minimum": 1}
GROUPS = {"enum": ["tool", "agent", "session", "reason", "hour"]}
STATES = {"enum": ["open", "snoozed", "resolved"], "default": "open"}

TOOLS = (
    Tool(
        "list_sessions", "Sessions",
        "Sessions with a call that matches the filters, last seen first: counts, success rate with"
        " its bounds, denials, and limits.",
        fields(PAGED), list_sessions,
    ),
    Tool(
        "get_session", "One session",
        "One session: its headline, the cause of its trouble, counts, limits, artifacts and turns.",
        fields({"session_id": TEXT, "env": TEXT}, "session_id"), get_session,
    ),
    Tool(
        "list_calls", "Calls",
        "Tool calls that match the filters, newest first: arguments, outcome, verdict, and what"
        " decided it. Secrets are masked.",
        fields(PAGED), list_calls,
    ),
    Tool(
        "get_call", "One call",
        "One call with its events, verdicts, and the message that the model got.",
        fields({"call_id": TEXT, "env": TEXT}, "call_id"), get_call,
    ),
    Tool(
        "read_artifact", "Lines of an artifact",
        "Up to 200 lines of a stored output, from `first_line` on. Secrets are masked.",
        fields(
            {"artifact_id": TEXT, "first_line": LINE, "lines": {**LINE, "maximum": LINES}},
            "artifact_id",
        ),
        read_artifact,
    ),
    Tool(
        "get_figures", "Figures",
        "Calls, successes, failures, denials, success rate with its 95 % bounds, and durations, by"
        " tool, agent, session, denial reason or hour.",
        fields({**CALLS, "by": GROUPS}), get_figures,
    ),
    Tool(
        "list_denial_reasons", "Denial reasons",
        "Denied calls by reason, most first.",
        fields(WINDOW), list_denial_reasons,
    ),
    Tool(
        "list_alerts", "Alerts",
        "Alerts, worst first, with cause and page.",
        fields({"env": TEXT, "state": STATES}), list_alerts,
    ),
    Tool(
        "list_check_suggestions", "Suggested check rules",
        "Rules that would find failures which count as success now, the most frequent first.",
        fields({"dismissed": FLAG}), list_suggestions,
    ),
)  # fmt: skip

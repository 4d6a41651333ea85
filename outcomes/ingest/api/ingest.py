"""API that receives outcomes and events. It answers after the commit."""

import logging

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from governance.people.auth import AGENT_HEADER, AccessRequest, KeyAuth, spend_items
from governance.people.commands.key_findings import report_keys_in_data
from outcomes.ingest.commands import back_pressure
from outcomes.ingest.commands.accept import accept
from outcomes.ingest.commands.reports import keep_report
from outcomes.ingest.domain import Post
from outcomes.jobs import doorbell
from outcomes.models import AgentReport
from outcomes.record.wire import BodyRefused, Source, read_body, read_report
from outcomes.record.wire.reports import agent_in
from outcomes.web.api import EVENTS, OUTCOMES, answer, router

logger = logging.getLogger(__name__)

CAN_INGEST = KeyAuth("ingest")


@router.post("/outcomes", auth=CAN_INGEST, response={202: None}, openapi_extra=OUTCOMES)
def post_outcomes(request: AccessRequest) -> HttpResponse:
    back_pressure.refuse_if_full(Post.OUTCOMES, request.auth.project_id)
    return _take(request, "outcomes")


@router.post("/events", auth=CAN_INGEST, response={202: None}, openapi_extra=EVENTS)
def post_events(request: AccessRequest) -> HttpResponse:
    back_pressure.refuse_if_full(Post.EVENTS, request.auth.project_id)
    return _take(request, "events")


@router.post("/audit/ingest", auth=CAN_INGEST, response={202: None}, openapi_extra=EVENTS)
def post_audit_events(request: AccessRequest) -> HttpResponse:
    back_pressure.refuse_if_full(Post.EVENTS, request.auth.project_id)
    return _take(request, "events")


def _take(request: AccessRequest, source: Source) -> HttpResponse:
    body = read_body(request.body, request.headers.get("Content-Encoding", ""), source)
    spend_items(request, request.auth, len(body.items))
    post = accept(body, source=source, access=request.auth, agent=_agent_named_by(request))
    if post.accepted:
        doorbell.ring()
    if post.sent_keys:
        report_keys_in_data(request.auth, post.sent_keys, agent=_agent_named_by(request))
    if body.manifest:
        _keep_manifest(request, body.manifest)
    return answer(
        {
            "accepted": post.accepted,
            "rejected": [
                {"index": refusal.index, "code": refusal.code, "detail": refusal.detail}
                for refusal in post.refusals
            ],
            "batch": post.batch,
            "warnings": [
                {"index": warned.index, "field": warned.field} for warned in post.warnings
            ],
        },
        status=202,
    )


def _keep_manifest(request: AccessRequest, manifest: bytes) -> None:
    """Store the manifest sent with events; an invalid one does not reject the events."""
    try:
        report = read_report(manifest)
        agent = agent_in(report) or _agent_named_by(request)
        if not agent or request.auth.admits_agent(agent):
            keep_report(AgentReport.Kind.MANIFEST, report, agent=agent, access=request.auth)
    except (BodyRefused, DatabaseError):
        logger.warning("Could not store the manifest of an agent", exc_info=True)


def _agent_named_by(request: HttpRequest) -> str:
    # A name too long or not storable counts as missing.
    agent = request.headers.get(AGENT_HEADER, "")
    return agent if len(agent) <= 128 and "\0" not in agent else ""

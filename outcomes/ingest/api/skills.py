"""API that receives skill scans. The scanner waits for a response but ignores its content."""

from django.http import HttpResponse

from governance.core.errors import Forbidden
from governance.people.auth import AGENT_HEADER, AccessRequest, KeyAuth
from outcomes.ingest.commands.reports import keep_report
from outcomes.models import AgentReport
from outcomes.record.wire import read_report
from outcomes.record.wire.reports import agent_in
from outcomes.web.api import REPORT, answer, router

CAN_ACT = KeyAuth("agent")


@router.post("/skill-scan", auth=CAN_ACT, response={200: None}, openapi_extra=REPORT)
def post_skill_scan(request: AccessRequest) -> HttpResponse:
    report = read_report(request.body)
    header = request.headers.get(AGENT_HEADER, "")
    # A name too long or not storable counts as missing.
    agent = agent_in(report) or (header if len(header) <= 128 and "\0" not in header else "")
    if agent and not request.auth.admits_agent(agent):
        raise Forbidden(
            f"This key is not valid for the agent {agent}. Use one of its own keys.", code="agent"
        )
    is_new = keep_report(AgentReport.Kind.SKILL_SCAN, report, agent=agent, access=request.auth)
    return answer({"kept": True, "changed": is_new})

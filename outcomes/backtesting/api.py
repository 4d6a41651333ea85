"""API of backtests: start, read, cancel."""

from typing import Any

from django.http import HttpResponse
from ninja import Query, Router

from governance.contracts.queries.contracts import bundle_named, newest_version, version_numbered
from governance.core.errors import NotFound
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered
from outcomes.backtesting import commands as backtesting_commands
from outcomes.backtesting.queries import backtest_numbered
from outcomes.backtesting.schemas import BacktestIn, ChangedCallsQuery
from outcomes.calls.api.shapes import time_text
from outcomes.jobs import doorbell
from outcomes.models import Backtest, ChangedCall
from outcomes.models.backtests import CallsUnder
from outcomes.recorded_calls.queries import changed_calls, number_of_changed, number_stored
from outcomes.recorded_calls.selection import CallCriteria
from outcomes.web.api import answer, cursor_at, place_of

# A router of its own, as its address has to be tried before that of any bundle.
router = Router(tags=["contracts"])
CAN_WRITE = KeyOrMember(action=Action.WRITE_CONTRACT)
FIGURES = (
    "newly_denied",
    "newly_allowed",
    "newly_asking",
    "changed",
    "undetermined",
    "unchanged",
    "drift",
    "not_replayed",
)


@router.post("/contracts/backtests", auth=CAN_WRITE, response={202: None})
def start_backtest(request: AccessRequest, body: BacktestIn) -> HttpResponse:
    backtest = backtesting_commands.start_backtest(
        request.auth.project_id,
        by=request.auth.actor,
        document=body.yaml,
        version=None if body.yaml is not None else _version(request, body),
        criteria=CallCriteria(
            environment=body.env,
            since=body.since,
            until=body.until,
            agents=body.agents(),
            tools=body.tools(),
        ),
        contract_only=body.contract_only,
    )
    doorbell.ring(doorbell.BACKTEST, backtest.pk)
    return answer({"id": backtest.pk, "status": backtest.status}, status=202)


@router.get(
    "/contracts/backtests/{int:backtest_id}", auth=KeyOrMember("read"), response={200: None}
)
def get_backtest(request: AccessRequest, backtest_id: int) -> HttpResponse:
    return answer(backtest_out(_existing(request, backtest_id)))


@router.get(
    "/contracts/backtests/{int:backtest_id}/calls", auth=KeyOrMember("read"), response={200: None}
)
def list_backtest_calls(
    request: AccessRequest, backtest_id: int, query: Query[ChangedCallsQuery]
) -> HttpResponse:
    """Calls that would change, newest first: `number` are counted, `kept` are listed."""
    backtest, filters = _existing(request, backtest_id), query.filter()
    before = place_of(query.cursor) if query.cursor else None
    page = changed_calls(backtest, filters, size=query.limit, before=before)
    last = page.rows[-1] if page.older else None
    return answer(
        {
            "calls": [changed_call_out(row) for row in page.rows],
            "number": number_of_changed(backtest, filters),
            "kept": number_stored(backtest, filters),
            "next": cursor_at(last.at, last.pk) if last else None,
        }
    )


@router.delete("/contracts/backtests/{int:backtest_id}", auth=CAN_WRITE, response={200: None})
def cancel_backtest(request: AccessRequest, backtest_id: int) -> HttpResponse:
    cancelled = backtesting_commands.cancel_backtest(
        request.auth.project_id, backtest_id, by=request.auth.actor
    )
    return answer(backtest_out(cancelled))


def backtest_out(backtest: Backtest) -> dict[str, Any]:
    """The tables are there when it is done; until then the figures grow."""
    result = backtest.result
    return {
        "id": backtest.pk,
        "status": backtest.status,
        "error": backtest.error or None,
        "progress": round(backtest.progress, 4),
        "name": backtest.bundle_name,
        "version": backtest.version.number if backtest.version else None,
        "revision_hash": backtest.revision_hash,
        "env": backtest.environment.name if backtest.environment else None,
        "since": time_text(backtest.since),
        "until": time_text(backtest.until),
        "agent": backtest.agents,
        "tool": backtest.tools,
        "contract_only": backtest.calls_under == CallsUnder.CONTRACT,
        "author": backtest.author,
        "created_at": time_text(backtest.created_at),
        "started_at": time_text(backtest.started_at),
        "finished_at": time_text(backtest.finished_at),
        "calls": backtest.calls,
        **{name: getattr(backtest, name) for name in FIGURES},
        "not_replayed_by_reason": result.get("not_replayed", {}),
        "by_rule": result.get("by_rule", {}),
        "by_tool": result.get("by_tool", {}),
        "by_agent": result.get("by_agent", {}),
        "by_session": result.get("by_session", {}),
        "sessions_changed": result.get("sessions_changed", 0),
        "over_time": result.get("over_time", []),
        "observed": result.get("observed", {}),
        "session_limits": result.get("session_limits", {}),
        "not_honest": result.get("missing", {}),
        "cpu_seconds": result.get("cpu_seconds"),
        "memory_mb": result.get("memory_mb"),
        "samples": result.get("samples", {}),
    }


def changed_call_out(row: ChangedCall) -> dict[str, Any]:
    call = row.call
    return {
        "call_id": call.call_id,
        "environment": call.environment.name,
        "session_id": call.session.session_id if call.session else None,
        "tool_name": call.tool.name,
        "agent_id": call.agent.name,
        "timestamp": time_text(row.at),
        "change": row.change,
        "was": row.was,
        "was_rule": row.was_rule or None,
        "now": row.now,
        "rule": row.rule or None,
        "output": row.output,
    }


def _existing(request: AccessRequest, number: int) -> Backtest:
    backtest = backtest_numbered(request.auth.project_id, number)
    if backtest is None:
        raise NotFound("Backtest not found.")
    return backtest


def _version(request: AccessRequest, body: BacktestIn) -> int:
    project = project_numbered(request.auth.project_id)
    bundle = bundle_named(project, body.name or "")
    if bundle is None:
        raise NotFound("Contract not found.")
    version = (
        newest_version(bundle) if body.version is None else version_numbered(bundle, body.version)
    )
    if version is None:
        raise NotFound(f"{bundle.name} has no such version.")
    return version.pk

"""API of check backtests and reclassification: start, read, cancel."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from ninja import Router

from governance.checks.queries.includes import ALL
from governance.core.errors import NotFound
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from outcomes.calls.api.shapes import time_text
from outcomes.models import Rejudging
from outcomes.reclassification.commands import jobs
from outcomes.reclassification.commands.jobs import cancel_rejudging, ring_for_parts
from outcomes.reclassification.queries.jobs import rejudging_numbered, result_so_far
from outcomes.reclassification.schemas import CheckBacktestIn, ReclassificationIn
from outcomes.web.api import answer

# Routers of their own: these addresses have to be tried before that of any check.
check_backtests = Router(tags=["success checks"])
reclassifications = Router(tags=["success checks"])
CAN_WRITE = KeyOrMember(action=Action.WRITE_CHECK)
CAN_READ = KeyOrMember("read")
BACKTEST, RECLASSIFICATION = Rejudging.Kind.CHECK_BACKTEST, Rejudging.Kind.RECLASSIFICATION


@check_backtests.post("/success-checks/backtests", auth=CAN_WRITE, response={202: None})
def start_check_backtest(request: AccessRequest, body: CheckBacktestIn) -> HttpResponse:
    started = jobs.start_check_backtest(
        request.auth.project_id,
        by=request.auth.actor,
        text=body.yaml,
        scope=body.scope,
        criteria=body.criteria(),
        newer=ALL if body.newer_included else (),
    )
    ring_for_parts(started)
    return answer({"id": started.pk, "status": started.status}, status=202)


@check_backtests.get(
    "/success-checks/backtests/{int:backtest_id}", auth=CAN_READ, response={200: None}
)
def get_check_backtest(request: AccessRequest, backtest_id: int) -> HttpResponse:
    return answer(rejudging_out(_existing(request, backtest_id, BACKTEST)))


@check_backtests.delete(
    "/success-checks/backtests/{int:backtest_id}", auth=CAN_WRITE, response={200: None}
)
def cancel_check_backtest(request: AccessRequest, backtest_id: int) -> HttpResponse:
    return answer(rejudging_out(_cancelled(request, backtest_id, BACKTEST)))


@reclassifications.post("/reclassifications", auth=CAN_WRITE, response={202: None})
def start_reclassification(request: AccessRequest, body: ReclassificationIn) -> HttpResponse:
    """By the checks that are bound now; the verdicts that calls had stay beside the new ones."""
    started = jobs.start_reclassification(
        request.auth.project_id, by=request.auth.actor, criteria=body.criteria()
    )
    ring_for_parts(started)
    return answer({"id": started.pk, "status": started.status}, status=202)


@reclassifications.get(
    "/reclassifications/{int:reclassification_id}", auth=CAN_READ, response={200: None}
)
def get_reclassification(request: AccessRequest, reclassification_id: int) -> HttpResponse:
    return answer(rejudging_out(_existing(request, reclassification_id, RECLASSIFICATION)))


@reclassifications.delete(
    "/reclassifications/{int:reclassification_id}", auth=CAN_WRITE, response={200: None}
)
def cancel_reclassification(request: AccessRequest, reclassification_id: int) -> HttpResponse:
    return answer(rejudging_out(_cancelled(request, reclassification_id, RECLASSIFICATION)))


def rejudging_out(rejudging: Rejudging) -> dict[str, Any]:
    """The figures grow while it runs; the verdicts of a reclassification are written with them."""
    result = result_so_far(rejudging)
    flips, shifts = result["flips"], result["shifts"]
    of_a_check = (
        {
            "name": rejudging.check_name,
            "version": rejudging.check_version,
            "sha256": rejudging.sha256,
            "scope": rejudging.scope,
        }
        if rejudging.kind == BACKTEST
        else {}
    )
    return {
        "id": rejudging.pk,
        "status": rejudging.status,
        "error": rejudging.error or None,
        "progress": round(rejudging.progress, 4),
        **of_a_check,
        "env": rejudging.environment.name if rejudging.environment else None,
        "since": time_text(rejudging.since),
        "until": time_text(rejudging.until),
        "agent": rejudging.agents,
        "tool": rejudging.tools,
        "filters": filters_of(rejudging),
        "author": rejudging.author,
        "created_at": time_text(rejudging.created_at),
        "started_at": time_text(rejudging.started_at),
        "finished_at": time_text(rejudging.finished_at),
        "calls": sum(flips["counts"].values()),
        **flips["counts"],
        "judged": flips["judged"],
        "not_checked": flips["not_checked"],
        "by_tool": flips["by_tool"],
        "by_rule": flips["by_rule"],
        "samples": {
            flip: [{"cut": False} | sample | {"at": _utc(sample["at"])} for sample in samples]
            for flip, samples in flips["samples"].items()
        },
        "session_limits": shifts if rejudging.kind == BACKTEST else None,
        "cpu_seconds": result["cpu_seconds"],
    }


def filters_of(rejudging: Rejudging) -> dict[str, Any]:
    """Further filters by the names in which they were posted."""
    return {{"text": "q"}.get(name, name): value for name, value in rejudging.filters.items()}


def _utc(at: str) -> str | None:
    return time_text(datetime.fromisoformat(at))


def _existing(request: AccessRequest, number: int, kind: str) -> Rejudging:
    rejudging = rejudging_numbered(request.auth.project_id, number, kind)
    if rejudging is None:
        raise NotFound("Job not found.")
    return rejudging


def _cancelled(request: AccessRequest, number: int, kind: str) -> Rejudging:
    return cancel_rejudging(request.auth.project_id, number, kind, by=request.auth.actor)

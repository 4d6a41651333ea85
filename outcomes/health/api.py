"""Health: whether the process lives, whether it would accept a post, and all there is to know."""

from typing import Any, Final

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from governance.people.auth import Access, resolve_key
from outcomes.core import broker
from outcomes.database.reading import has_replica
from outcomes.health import commands as readiness
from outcomes.health.domain import Problem
from outcomes.hosts.queries import HostRow
from outcomes.ingest.queries.inbox import faults_of
from outcomes.jobs import queries as jobs_queries
from outcomes.web.api import answer, router

PARTS: Final = {"database": "up", "schema": "ok", "inbox": "ok", "artifacts": "ok"}
RETRY_AFTER: Final = "5"  # seconds


@router.get("/health/live", auth=None, response={200: None})
def get_liveness(request: HttpRequest) -> HttpResponse:
    """200 while this process answers, whatever the state of database and disks."""
    return answer({"status": "ok"})


@router.get("/health/ready", auth=None, response={200: None})
def get_readiness(request: HttpRequest) -> HttpResponse:
    """200 while a post would be accepted now, else 503 with the reason."""
    problems = tuple(each for each in readiness.problems() if each.blocks)
    return _answer({"status": _status(problems)}, problems)


@router.get("/health", auth=None, response={200: None})
def get_health(request: HttpRequest) -> HttpResponse:
    """State of every part. With a key, also the counts of its project."""
    problems = readiness.problems()
    problem_of = {each.part: each.detail for each in problems}
    body: dict[str, Any] = {"status": _status(problems)}
    body |= {part: problem_of.get(part, well) for part, well in PARTS.items()}
    # The broker is only the doorbell: nothing is lost without it.
    body |= {"broker": "up" if broker.is_answering() else "down", "worker": "unknown"}
    if "database" not in problem_of:
        body |= _database_body(request, is_ready=not problems)
    else:
        body |= {"schema": "unknown", "inbox": "unknown"}
    return _answer(body | _replica_body(body["status"]), problems)


def _replica_body(status: str) -> dict[str, str]:
    """Whether pages read from their replica. Posts are accepted without it."""
    if not has_replica():
        return {}
    why = readiness.replica_problem()
    if not why:
        return {"replica": "ok"}
    return {
        "replica": f"{why} Pages are read from the database.",
        "status": "degraded" if status == "ok" else status,
    }


def _answer(body: dict[str, Any], problems: tuple[Problem, ...]) -> HttpResponse:
    problems = tuple(each for each in problems if each.blocks)
    if not problems:
        return answer(body)
    errors = [
        {"path": each.part, "line": None, "column": None, "message": each.detail}
        for each in problems
    ]
    refused = {"code": "not_ready", "detail": problems[0].detail, "errors": errors}
    response = answer(body | refused, status=503)
    response.headers["Retry-After"] = RETRY_AFTER
    return response


def _status(problems: tuple[Problem, ...]) -> str:
    if any(each.blocks for each in problems):
        return "unavailable"
    return "degraded" if problems else "ok"


def _database_body(request: HttpRequest, *, is_ready: bool) -> dict[str, Any]:
    try:
        address = request.META.get("REMOTE_ADDR", "")
        access = resolve_key(request.META.get("HTTP_AUTHORIZATION", ""), address)
        if access is not None and not access.admits_address(address):
            access = None
        installation = readiness.installation()
        body: dict[str, Any] = {
            "settling": "; ".join(installation.faults) or "ok",
            "worker": installation.worker,
            "scheduler": installation.scheduler,
        }
        if installation.faults and is_ready:
            body["status"] = "degraded"  # posts are accepted, and some of them wait
        if access is None:
            return body
        return body | _counts(access) | {"hosts": [_host_body(each) for each in installation.hosts]}
    except (DatabaseError, TimeoutError):  # it went away since it was tried
        return {}


def _host_body(row: HostRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "process": row.process,
        "queues": row.queues,
        "state": row.state,
        "seconds_silent": round(row.silent_for, 1),
        "clock_offset": row.clock_offset,
        "release": row.release,
        "is_active": row.is_active,
    }


def _counts(access: Access) -> dict[str, Any]:
    backlog = jobs_queries.backlog(access.project_id)
    return {
        "backlog": {
            "batches": backlog.batches,
            "items": backlog.items,
            "is_more": backlog.is_more,
            "seconds_behind": round(backlog.seconds_behind, 3),
            "set_aside": backlog.set_aside,
        },
        "faults": [
            {"detail": each.error, "batches": each.batches, "items": each.items}
            for each in faults_of(access.project_id)
        ],
    }

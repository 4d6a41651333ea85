"""Health: whether the process lives, whether it would accept a post, and all there is to know."""

from typing import Any, Final

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from governance.auth import Access, resolve_key
from outcomes import pulse, queries
from outcomes.api.answers import answer
from outcomes.api.routing import router
from outcomes.commands import readiness
from outcomes.domain.readiness import Problem

PARTS: Final = {"database": "up", "schema": "ok", "inbox": "ok", "artifacts": "ok"}
RETRY_AFTER: Final = "5"  # seconds


@router.get("/health/live", auth=None, response={200: None})
def live(request: HttpRequest) -> HttpResponse:
    """200 while this process answers, whatever it is that it needs."""
    return answer({"status": "ok"})


@router.get("/health/ready", auth=None, response={200: None})
def ready(request: HttpRequest) -> HttpResponse:
    """200 while a post would be accepted now, else 503 with the reason."""
    problems = readiness.problems()
    return _answer({"status": _status(problems)}, problems)


@router.get("/health", auth=None, response={200: None})
def health(request: HttpRequest) -> HttpResponse:
    """All of it, for people; counts of the key's project only, and none without a key."""
    problems = readiness.problems()
    troubled = {each.part: each.detail for each in problems}
    told: dict[str, Any] = {"status": _status(problems)}
    told |= {part: troubled.get(part, well) for part, well in PARTS.items()}
    told |= _broker_and_worker()
    if "database" not in troubled:
        told |= _of_database(request, is_ready=not problems)
    else:
        told |= {"schema": "unknown", "inbox": "unknown"}
    return _answer(told, problems)


def _answer(told: dict[str, Any], problems: tuple[Problem, ...]) -> HttpResponse:
    if not problems:
        return answer(told)
    errors = [
        {"path": each.part, "line": None, "column": None, "message": each.detail}
        for each in problems
    ]
    refused = {"code": "not_ready", "detail": problems[0].detail, "errors": errors}
    response = answer(told | refused, status=503)
    response.headers["Retry-After"] = RETRY_AFTER
    return response


def _status(problems: tuple[Problem, ...]) -> str:
    return "unavailable" if problems else "ok"


def _broker_and_worker() -> dict[str, str]:
    worker = {True: "up", False: "silent", None: "unknown"}[felt := pulse.is_felt()]
    if felt is False and pulse.is_awaited():
        worker = "starting"
    # The broker is only the doorbell: nothing is lost without it.
    return {"broker": "down" if felt is None else "up", "worker": worker}


def _of_database(request: HttpRequest, *, is_ready: bool) -> dict[str, Any]:
    try:
        access = resolve_key(request.META.get("HTTP_AUTHORIZATION", ""))
        faults = queries.kinds_of_faults()
        told: dict[str, Any] = {"settling": "; ".join(faults) or "ok"}
        if faults and is_ready:
            told["status"] = "degraded"  # posts are accepted, and some of them wait
        return told if access is None else told | _counts(access)
    except DatabaseError:  # it went away since it was tried
        return {}


def _counts(access: Access) -> dict[str, Any]:
    backlog = queries.backlog(access.project_id)
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
            for each in queries.faults_of(access.project_id)
        ],
    }

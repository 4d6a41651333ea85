"""Health: whether events can be accepted, and how far settling is behind."""

import logging

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from outcomes import pulse, queries
from outcomes.api.answers import answer
from outcomes.api.routing import router

logger = logging.getLogger(__name__)


@router.get("/health", auth=None, response={200: None})
def health(request: HttpRequest) -> HttpResponse:
    try:
        backlog = queries.backlog()
    except DatabaseError:
        logger.exception("The database does not answer")
        return answer({"status": "unavailable", "database": "down"}, status=503)
    worker = {True: "up", False: "silent", None: "unknown"}[felt := pulse.is_felt()]
    if felt is False and pulse.is_awaited():
        worker = "starting"
    return answer(
        {
            "status": "ok",
            "database": "up",
            "broker": "down" if felt is None else "up",  # only the doorbell: nothing is lost
            "worker": worker,
            "backlog": {
                "batches": backlog.batches,
                "items": backlog.items,
                "seconds_behind": round(backlog.seconds_behind, 3),
                "set_aside": backlog.set_aside,
            },
        }
    )

"""Health: whether events can be accepted, and how far settling is behind."""

import logging

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from redis import Redis, RedisError

from outcomes import queries
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
    broker = "up" if _broker_answers() else "down"
    late = backlog.seconds_behind > 60
    return answer(
        {
            "status": "ok",
            "database": "up",
            "broker": broker,
            "worker": "behind" if late else "up",
            "backlog": {
                "batches": backlog.batches,
                "items": backlog.items,
                "seconds_behind": round(backlog.seconds_behind, 3),
                "set_aside": backlog.set_aside,
            },
        }
    )


def _broker_answers() -> bool:
    """Only the doorbell: events are accepted without it, and settled once it is back."""
    if not settings.REDIS_URL:
        return False
    client = Redis.from_url(settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5)
    try:
        client.ping()
    except RedisError:
        return False
    finally:
        client.close()
    return True

"""Read replica for pages: it serves figures and lists, but users always see their own writes.

A user's write sets a cookie with the position of the database's WAL. Until the replica has replayed
it, this browser's pages are read from the primary. Users, keys, contracts and all other data of
`governance` are always read from the primary.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, models
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from edictum_site.middleware import API_PREFIXES, has_key
from outcomes.database.reading import (
    REPLICA,
    has_replica,
    position_now,
    reading_alias,
    reads_from,
    replica_state,
)

COOKIE: Final = "written"
LASTS: Final = 240  # seconds, plus the maximum lag of the replica
UNKNOWN: Final = 2**64  # a position that no replica ever reaches
AWAY_FOR: Final = 30.0  # seconds in which a failed replica is not retried
SAFE: Final = ("GET", "HEAD", "OPTIONS")
FAILED: Final = "edictum.replica_failed"
# Hosts and leases coordinate processes, so they are always read from the primary.
_ITS_OWN: Final = frozenset({"host", "lease", "schemastate"})

logger = logging.getLogger(__name__)
_away_until = float("-inf")


class Router:
    """Route reads of outcomes to the replica if the request allows it, all else to the primary."""

    def db_for_read(self, model: type[models.Model], **hints: Any) -> str:
        meta = model._meta
        if meta.app_label == "outcomes" and meta.model_name not in _ITS_OWN:
            return reading_alias()
        return DEFAULT_DB_ALIAS

    def db_for_write(self, model: type[models.Model], **hints: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: models.Model, other: models.Model, **hints: Any) -> bool:
        return True  # both connections read the same rows

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == DEFAULT_DB_ALIAS


class ReadFromReplica:
    """Middleware that retries a page on the primary if the replica fails during the request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not has_replica():
            raise MiddlewareNotUsed
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if has_key(request):
            return self._get_response(request)
        if request.method not in SAFE:
            return _with_position(self._get_response(request))
        is_page = not request.path.startswith(API_PREFIXES)
        if is_page and _may_read(request.COOKIES.get(COOKIE, "")):
            with reads_from(REPLICA):
                response = self._get_response(request)
            if not request.META.pop(FAILED, False):
                return response
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Handle replica errors, such as a standby that cancels queries which delay its replay."""
        if reading_alias() != REPLICA or not isinstance(error, DatabaseError):
            return None
        _leave(error)
        request.META[FAILED] = True
        return HttpResponse(status=503)  # never sent, as the page is retried


def _with_position(response: HttpResponseBase) -> HttpResponseBase:
    try:
        position = position_now()
    except DatabaseError:  # the write may have been committed already
        position = UNKNOWN
    response.set_cookie(
        COOKIE,
        str(position),
        max_age=LASTS + settings.REPLICA_LAG,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


def _may_read(written: str) -> bool:
    """Whether the replica is available and has replayed this browser's writes."""
    if time.monotonic() < _away_until:
        return False
    try:
        state = replica_state()
    except DatabaseError as error:
        _leave(error)
        return False
    return not state.fault and (not written or state.position >= _position(written))


def _position(written: str) -> int:
    return int(written) if written.isdecimal() and len(written) < 25 else UNKNOWN


def _leave(error: Exception) -> None:
    global _away_until
    _away_until = time.monotonic() + AWAY_FOR
    connections[REPLICA].close()
    logger.warning("Pages are read from the database, not from its replica: %s", error)

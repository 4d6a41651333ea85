"""The address that Prometheus scrapes: with a key its project, with the token everything."""

import hmac
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from edictum_site.metrics.domain import Sample
from edictum_site.metrics.exposition import Samples, encoded
from edictum_site.metrics.process import own, process_samples
from edictum_site.metrics.queries import (
    all_samples,
    health_samples,
    is_database_up,
    project_samples,
)
from governance.core.errors import Unauthenticated
from governance.people.auth import KeyAuth
from outcomes.core.cached import Cached

EVERY: Final = 5.0  # seconds between two readings of the database
COST: Final = 10  # at most a tenth of the time is spent reading
PROJECTS: Final = 256  # whose figures are cached
NEEDED: Final = "This address needs a key with read, or EDICTUM_SITE_METRICS_TOKEN as bearer token."

logger = logging.getLogger(__name__)
_can_read: Final = KeyAuth("read")


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if _has_token(request):
        samples = Samples(_all_samples(), [own])
    else:
        samples = Samples(_cached(_project_of(request)).get().samples)
    content, content_type = encoded(samples, request.headers.get("Accept", ""))
    response = HttpResponse(content, content_type=content_type)
    response.headers["Cache-Control"] = "no-store"
    return response


def forget() -> None:
    _cached.cache_clear()


def _has_token(request: HttpRequest) -> bool:
    token: str = settings.METRICS_TOKEN
    sent = request.META.get("HTTP_AUTHORIZATION", "").encode()
    return bool(token) and hmac.compare_digest(sent, f"Bearer {token}".encode())


def _project_of(request: HttpRequest) -> int:
    try:
        return _can_read(request).project_id
    except Unauthenticated:
        raise Unauthenticated(NEEDED) from None


def _all_samples() -> Iterator[Sample]:
    """Without the database, what this process knows is still there."""
    yield from process_samples()
    health = health_samples()
    yield from health
    if not is_database_up(health):
        return
    try:
        figures = _cached(None).get()
    except (DatabaseError, TimeoutError):
        logger.warning("Metrics were scraped without figures of the database", exc_info=True)
        return
    yield from figures.samples
    yield Sample("edictum_scrape_seconds", (), figures.seconds)


class _Figures:
    """Figures as they were read once."""

    def __init__(self, read: Callable[[], Sequence[Sample]]) -> None:
        began = time.monotonic()
        self.samples = read()
        self.seconds = time.monotonic() - began


@lru_cache(PROJECTS)
def _cached(project_id: int | None) -> Cached[_Figures]:
    read = all_samples if project_id is None else partial(project_samples, project_id)
    return Cached(partial(_Figures, read), seconds=EVERY, cost=COST)

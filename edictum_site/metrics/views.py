"""Endpoint for Prometheus: a key reads its project, the token everything."""

import hmac
import logging
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from edictum_site.metrics.domain import Sample
from edictum_site.metrics.exposition import Format, Samples
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

EVERY: Final = 5.0  # minimum seconds between two reads of the database
COST: Final = 10  # at most a tenth of the time is spent reading
PROJECTS: Final = 256  # projects with cached figures
NEEDED: Final = "This address needs a key with read, or EDICTUM_SITE_METRICS_TOKEN as bearer token."

logger = logging.getLogger(__name__)
_can_read: Final = KeyAuth("read")


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    form = Format.accepted(request.headers.get("Accept", ""))
    if _has_token(request):
        content = _everything(form)
    else:
        content = _cached(_project_of(request)).get().encoded(form)
    response = HttpResponse(content, content_type=form.content_type)
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


def _everything(form: Format) -> bytes:
    """All metrics; without the database, only those of this process and its health checks."""
    samples = [*process_samples(), *(health := health_samples())]
    figures = _figures() if is_database_up(health) else None
    if figures is not None:
        samples.append(Sample("edictum_scrape_seconds", (), figures.seconds))
    here = form.encode(Samples(samples, [own]))
    return form.joined(figures.encoded(form), here) if figures is not None else here


def _figures() -> "_Figures | None":
    try:
        return _cached(None).get()
    except (DatabaseError, TimeoutError):
        logger.warning("Metrics were scraped without figures of the database", exc_info=True)
        return None


class _Figures:
    """Samples of one read, with cached encodings: many series take as long to encode as to read."""

    def __init__(self, read: Callable[[], Sequence[Sample]]) -> None:
        began = time.monotonic()
        self._samples = read()
        self._encoded: dict[str, bytes] = {}
        self.encoded(Format.accepted(""))
        self.seconds = time.monotonic() - began

    def encoded(self, form: Format) -> bytes:
        if form.content_type not in self._encoded:
            self._encoded[form.content_type] = form.encode(Samples(self._samples))
        return self._encoded[form.content_type]


@lru_cache(PROJECTS)
def _cached(project_id: int | None) -> Cached[_Figures]:
    read = all_samples if project_id is None else partial(project_samples, project_id)
    return Cached(partial(_Figures, read), seconds=EVERY, cost=COST)

"""Audit log entries about requests: rejected attempts and downloads.

A caller may repeat a rejected request as fast as it can. Equal requests within a minute become one
entry per process; the next entry includes the number of repeats.
"""

import logging
import time
from collections.abc import Hashable
from typing import Final

from django.db import DatabaseError, transaction

from governance.audit_log import Detail, record
from governance.core.actor import Actor
from governance.models import Project

logger = logging.getLogger(__name__)

MINUTE: Final = 60.0
MOST_REMEMBERED: Final = 4_096
_clock = time.monotonic
_repeats: dict[Hashable, tuple[float, int]] = {}


def record_request(
    project_id: int, actor: Actor, action: str, subject: str, details: dict[str, Detail]
) -> None:
    """Append an entry. The request doesn't fail if the database can't store it."""
    repeats = _repeats_before((project_id, str(actor), action, subject))
    if repeats is None:
        return
    if repeats:
        details = details | {"repeats_before": repeats}
    try:
        with transaction.atomic():
            project = Project.objects.get(pk=project_id)
            record(actor, action, subject, project=project, details=details)
    except (DatabaseError, Project.DoesNotExist):
        logger.warning("Could not record in the audit log: %s", action, exc_info=True)


def forget_repeats() -> None:
    """Clear this process's memory of recorded requests."""
    _repeats.clear()


def _repeats_before(request: Hashable) -> int | None:
    """Number of repeats since the last entry; None if this request is one of them."""
    since, repeats = _repeats.get(request, (float("-inf"), 0))
    if _clock() - since < MINUTE:
        _repeats[request] = since, repeats + 1
        return None
    if len(_repeats) >= MOST_REMEMBERED:
        _repeats.clear()
    _repeats[request] = _clock(), 0
    return repeats

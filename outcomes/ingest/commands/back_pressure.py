"""Back pressure: a full inbox rejects posts and says when to retry.

The figures are cached for half a second, so the check costs a post nothing.
"""

import logging
import time
from typing import Final, NamedTuple

from django.db import DatabaseError
from django.urls import reverse

from governance.alerts.queries import projects_with_findings
from governance.findings import Details, sync_findings
from governance.people.queries.projects import project_numbered
from outcomes.core.cached import Cached
from outcomes.ingest.domain import Disk, Held, Post
from outcomes.ingest.queries.capacity import artifact_disk, bounds, data_disk, held_by_inbox
from outcomes.record.wire import BodyRefused

REFRESHED_EVERY: Final = 0.5  # seconds
SHOWN_FOR: Final = 30.0  # seconds
COST: Final = 20  # summing up a very large inbox takes at most 1/20 of a thread
RETRY_AFTER: Final = 10  # seconds
NOTED_EVERY: Final = 10.0  # seconds
FINDING: Final = "inbox_full"
MOST_SEVERE: Final = 10**9  # data loss ranks above alerts about calls
_ADVICE: Final = (
    "Posts get 503 until there is space; SDK events are accepted for longer. Check that the worker"
    " runs and that the disks have space."
)

logger = logging.getLogger(__name__)
_noted_at: dict[int, float] = {}  # time of the last recorded rejection, by project


class _Figures(NamedTuple):
    held: Held
    data: Disk
    artifacts: Disk | None


def _figures() -> _Figures:
    return _Figures(held_by_inbox(), data_disk(), artifact_disk())


_known: Final = Cached(_figures, seconds=REFRESHED_EVERY, cost=COST)


def why_refused(post: Post) -> str:
    """Reason to reject a post; empty while posts are accepted."""
    try:
        figures = _known.get()
    except TimeoutError:  # the database hangs, so the post itself will fail
        return ""
    return bounds().why_full(*figures, post)


def why_refused_of_late() -> str:
    """Reason why recent posts were rejected. Uses cached figures only, because pages call it."""
    figures = _known.last(within=SHOWN_FOR)
    return "" if figures is None else bounds().why_full(*figures, Post.OUTCOMES)


def refuse_if_full(post: Post, project_id: int) -> None:
    why = why_refused(post)
    if why:
        _note_refusal(project_id, why)
        raise BodyRefused(503, "inbox_full", f"{why} Nothing was stored.", retry_after=RETRY_AFTER)


def resolve_if_room() -> None:
    """Resolve the alerts once every kind of post is accepted again. The worker calls it."""
    projects = projects_with_findings(FINDING)
    if projects and not any(why_refused(post) for post in Post):
        for project in projects:
            sync_findings(project, [FINDING], {})


def forget() -> None:
    _known.forget()
    _noted_at.clear()


def _note_refusal(project_id: int, why: str) -> None:
    now = time.monotonic()
    if now < _noted_at.get(project_id, float("-inf")) + NOTED_EVERY:
        return
    _noted_at[project_id] = now
    try:
        slug = project_numbered(project_id).slug
        link = reverse("outcomes:set_aside", args=[slug])
        sync_findings(
            project_id,
            [FINDING],
            {
                (FINDING, "inbox"): Details(
                    title="Posts are rejected: the inbox is full",
                    why=f"{why} {_ADVICE}",
                    severity="error",
                    impact=MOST_SEVERE,
                    link=link,
                )
            },
        )
    except DatabaseError:
        logger.warning("Could not store the alert about the full inbox", exc_info=True)

"""Back-pressure: beyond its bounds the inbox takes no more, and says when to come again.

The figure is that of a moment ago, so asking costs a post nothing.
"""

import logging
import time
from typing import Final, NamedTuple

from django.db import DatabaseError
from django.urls import reverse

from governance.findings import Told, look
from governance.queries import project_numbered, projects_with_findings
from outcomes.commands.cached import Cached
from outcomes.domain.back_pressure import Disk, Held, Post
from outcomes.queries.room import artifact_disk, bounds, data_disk, held_by_inbox
from outcomes.wire import BodyRefused

REFRESHED_EVERY: Final = 0.5  # seconds
SHOWN_FOR: Final = 30.0  # seconds
COST: Final = 20  # to add up a very large inbox takes at most such a part of a thread
RETRY_AFTER: Final = 10  # seconds
TOLD_EVERY: Final = 10.0  # seconds
FINDING: Final = "inbox_full"
_ADVICE: Final = (
    "Posts are answered with 503 until there is room; SDK events are taken for longer. See whether"
    " the worker runs and the disks have room."
)

logger = logging.getLogger(__name__)
_told: dict[int, float] = {}  # when a project's refusal was told last


class _Figures(NamedTuple):
    held: Held
    data: Disk
    artifacts: Disk


def _figures() -> _Figures:
    return _Figures(held_by_inbox(), data_disk(), artifact_disk())


_known: Final = Cached(_figures, seconds=REFRESHED_EVERY, cost=COST)


def why_refused(post: Post) -> str:
    """Empty while such a post is taken."""
    try:
        figures = _known.get()
    except TimeoutError:  # the database hangs: what is posted will find out
        return ""
    return bounds().why_full(*figures, post)


def why_refused_of_late() -> str:
    """What the last posts would have been told; every page asks, so nothing is found out for it."""
    figures = _known.last(within=SHOWN_FOR)
    return "" if figures is None else bounds().why_full(*figures, Post.OUTCOMES)


def refuse_if_full(post: Post, project_id: int) -> None:
    why = why_refused(post)
    if why:
        _tell(project_id, why)
        raise BodyRefused(503, "inbox_full", f"{why} Nothing was kept.", retry_after=RETRY_AFTER)


def resolve_if_room() -> None:
    """Called now and then by the worker: a refusal that is over is no longer a finding."""
    projects = projects_with_findings(FINDING)
    if projects and not any(why_refused(post) for post in Post):
        for project in projects:
            look(project, [FINDING], {})


def forget() -> None:
    _known.forget()
    _told.clear()


def _tell(project_id: int, why: str) -> None:
    now = time.monotonic()
    if now < _told.get(project_id, float("-inf")) + TOLD_EVERY:
        return
    _told[project_id] = now
    try:
        slug = project_numbered(project_id).slug
        link = reverse("outcomes:set_aside", args=[slug])
        look(project_id, [FINDING], {(FINDING, "inbox"): Told(why=f"{why} {_ADVICE}", link=link)})
    except DatabaseError:
        logger.warning("That the inbox is full could not be noted", exc_info=True)

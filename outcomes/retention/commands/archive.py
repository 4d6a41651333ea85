"""Archive (placeholder until its piece)."""

from collections.abc import Callable
from datetime import datetime

from governance.models import Project


class ArchiveUnavailable(Exception):
    """The archive cannot be written."""


def archive_due(project: Project, before: datetime, *, heartbeat: Callable[[], None]) -> None:
    return

"""Limits of the inbox, and the reason why it is full."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from governance.core.figures import duration, size

SLACK: Final = 2  # factor for SDK events, rejected last: their agents don't wait
SHARE_OF_DISK: Final = 0.05
LARGEST_RESERVE: Final = 512 * 1024 * 1024


class Post(StrEnum):
    OUTCOMES = "outcomes"
    ARTIFACTS = "artifacts"
    EVENTS = "events"


@dataclass(frozen=True, slots=True)
class Disk:
    name: str
    free: int
    total: int


@dataclass(frozen=True, slots=True)
class Held:
    """Backlog: its compressed bytes, and the age of its oldest batch."""

    size: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Bounds:
    size: int  # bytes; 0: unlimited
    seconds: int  # 0: unlimited
    reserve: int | None  # bytes kept free on each disk; None: a share of the disk

    def why_full(self, held: Held, data: Disk, artifacts: Disk | None, post: Post) -> str:
        """Reason to reject such a post, or empty."""
        slack = SLACK if post is Post.EVENTS else 1
        if self.size and held.size >= self.size * slack:
            most = size(self.size * slack)
            return f"The inbox is full: {size(held.size)} of {most} are queued."
        if self.seconds and held.seconds >= self.seconds * slack:
            most = duration(timedelta(seconds=self.seconds * slack))
            behind = duration(timedelta(seconds=held.seconds))
            return f"Processing is {behind} behind. Posts are rejected after {most}."
        disks = [data, artifacts] if artifacts and post is Post.ARTIFACTS else [data]
        return next((why for disk in disks if (why := self.why_no_room(disk, slack))), "")

    def why_no_room(self, disk: Disk, slack: int = 1) -> str:
        reserve = self.reserve
        if reserve is None:
            reserve = min(int(disk.total * SHARE_OF_DISK), LARGEST_RESERVE)
        if disk.free >= reserve // slack:
            return ""
        reserved = size(reserve // slack)
        return f"The {disk.name} disk has {size(disk.free)} left, and {reserved} must stay free."

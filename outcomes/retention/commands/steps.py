"""One step of a retention run: its place, its cursor, and what it removed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import QuerySet

from governance.models import Environment, Project
from outcomes.database import IS_SERVER
from outcomes.holds.queries import Holds

# Rows per transaction, fewer on SQLite, where all other writers wait for it.
CALLS: Final = 1_000 if IS_SERVER else 100
EVENTS: Final = 2_000 if IS_SERVER else 100
ROWS: Final = 2_000 if IS_SERVER else 500

Cursor = list[int | str]


@dataclass(frozen=True, slots=True)
class Place:
    """Project and environment of a step, and the moment before which data is due."""

    project: Project
    environment: Environment | None  # None: the whole project
    before: datetime
    holds: Holds

    @property
    def environment_id(self) -> int:
        assert self.environment is not None  # noqa: S101 - stages of the project do not ask
        return self.environment.pk


class Removed(NamedTuple):
    rows: int = 0
    bytes: int = 0

    def __add__(self, other: object) -> "Removed":
        assert isinstance(other, Removed)  # noqa: S101
        return Removed(self.rows + other.rows, self.bytes + other.bytes)


class Step(NamedTuple):
    removed: Removed
    next: Cursor | None  # start of the next step; None: nothing is left


NOTHING: Final = Step(Removed(), None)


def delete_rows(rows: QuerySet[Any]) -> int:
    """Delete rows that no other row references, without loading them first."""
    return rows._raw_delete("default") or 0  # None if nothing can match

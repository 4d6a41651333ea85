"""Whether any worker settles, cached in this web process so that pages need no query."""

import time
from typing import Final

from outcomes.hosts.domain import SILENT_AFTER
from outcomes.hosts.queries import is_worker_up

FIRST_DUE: Final = 30.0  # seconds after the start in which a worker may still be starting

_began = time.monotonic()
_was_felt = False
_state: tuple[float, bool] | None = None  # time of the query, and its result


def refresh() -> None:
    global _state
    _state = time.monotonic(), note(is_felt=is_worker_up())


def note(*, is_felt: bool) -> bool:
    global _was_felt
    _was_felt = _was_felt or is_felt
    return is_felt


def is_felt() -> bool | None:
    """Whether a worker is up, or None if the database has not answered for a while."""
    if _state is None or time.monotonic() > _state[0] + SILENT_AFTER:
        return None
    return _state[1]


def is_awaited() -> bool:
    """Whether this process started so recently that the worker may still be starting."""
    return not _was_felt and time.monotonic() < _began + FIRST_DUE

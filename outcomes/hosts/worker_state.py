"""Whether any worker settles, as this web process knows it: pages ask, and wait for nothing."""

import time
from typing import Final

from outcomes.hosts.domain import SILENT_AFTER
from outcomes.hosts.queries import is_worker_up

FIRST_DUE: Final = 30.0  # seconds after the start in which a worker may still be coming up

_began = time.monotonic()
_was_felt = False
_state: tuple[float, bool] | None = None  # when it was read, and what it was


def refresh() -> None:
    global _state
    _state = time.monotonic(), note(is_felt=is_worker_up())


def note(*, is_felt: bool) -> bool:
    global _was_felt
    _was_felt = _was_felt or is_felt
    return is_felt


def is_felt() -> bool | None:
    """None where the database has not said it for a while."""
    if _state is None or time.monotonic() > _state[0] + SILENT_AFTER:
        return None
    return _state[1]


def is_awaited() -> bool:
    """Whether this process began so lately that the first sign of a worker is not due yet."""
    return not _was_felt and time.monotonic() < _began + FIRST_DUE

"""A loop: the same call of a session, denied again and again.

The same is what its tool and its arguments are, in whichever turn; a call whose arguments nobody
reported is like no other. Of each session the longest loop is told.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

LOOP: Final = 3  # times; a second one may be an honest try
ENDLESS: Final = 20  # times: no agent does so on purpose
STILL: Final = timedelta(minutes=5)  # since the last time, and it goes on


class Denied(NamedTuple):
    tool: Hashable
    arguments: bytes | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    tool: Hashable
    arguments: bytes
    times: int
    first_at: datetime
    last_at: datetime


def longest_loop(denied: Iterable[Denied]) -> Loop | None:
    """Of all denied calls of one session; of two as long that which goes on for longer."""
    found: dict[tuple[Hashable, bytes], Loop] = {}
    for tool, arguments, at in denied:
        if arguments is None:
            continue
        known = found.get((tool, arguments))
        found[tool, arguments] = Loop(
            tool=tool,
            arguments=arguments,
            times=1 if known is None else known.times + 1,
            first_at=at if known is None else min(at, known.first_at),
            last_at=at if known is None else max(at, known.last_at),
        )
    longest = max(found.values(), key=lambda each: (each.times, each.last_at), default=None)
    return longest if longest is not None and longest.times >= LOOP else None


def goes_on(last_at: datetime, now: datetime) -> bool:
    return last_at > now - STILL

"""Comparison of a host with the others, and the state of a process according to its reports."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

EVERY: Final = 5.0  # seconds between reports
SILENT_AFTER: Final = 17.0  # seconds; a little over three reports
LARGEST_OFFSET: Final = 5.0  # seconds of clock difference tolerated

SENTENCES: Final = {
    "secret": "The secret key differs from that of {host}:"
    " set EDICTUM_SITE_SECRET_KEY to the same value on every host.",
    "artifacts": "The artifact store differs from that of {host}: use the same one on every host.",
    "broker": "Redis differs from that of {host}: set REDIS_URL to the same one on every host.",
}


class State(StrEnum):
    UP = "up"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Values that must be the same on all hosts. An empty field is unknown and not compared."""

    secret: str
    artifacts: str
    broker: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Fingerprint of another host."""

    host: str
    fingerprint: Fingerprint


@dataclass(frozen=True, slots=True)
class Mismatch:
    about: str
    sentence: str


def state_of(silent_for: float) -> State:
    return State.UP if silent_for < SILENT_AFTER else State.SILENT


def is_clock_off(offset: float) -> bool:
    return abs(offset) > LARGEST_OFFSET


def mismatch(own: Fingerprint, others: Iterable[Seen]) -> Mismatch | None:
    """First difference, or None if this host matches all others."""
    for other in others:
        for part in fields(Fingerprint):
            mine, theirs = getattr(own, part.name), getattr(other.fingerprint, part.name)
            if mine and theirs and mine != theirs:
                return Mismatch(part.name, SENTENCES[part.name].format(host=other.host))
    return None

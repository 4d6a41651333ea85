"""The routes of outcomes, split by noun."""

from outcomes.api import (
    artifacts,
    calls,
    health,
    ingest,
    observed,
    opening,
    session_store,
    sessions,
    skills,
    stats,
    suggestions,
)
from outcomes.api.routing import router
from outcomes.api.waiting import NotYet

__all__ = [
    "NotYet",
    "artifacts",
    "calls",
    "health",
    "ingest",
    "observed",
    "opening",
    "router",
    "session_store",
    "sessions",
    "skills",
    "stats",
    "suggestions",
]

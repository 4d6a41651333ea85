"""The routes of outcomes, split by noun."""

from outcomes.artifacts import api as artifacts
from outcomes.calls.api import calls
from outcomes.contract_pages import api as observed
from outcomes.figures import api as stats
from outcomes.health import api as health
from outcomes.ingest.api import ingest, skills
from outcomes.masking import api as opening
from outcomes.retention import api as retention
from outcomes.session_store import api as session_store
from outcomes.sessions import api as sessions
from outcomes.suggestions import api as suggestions
from outcomes.traces import api as traces
from outcomes.web.api import router

__all__ = [
    "artifacts",
    "calls",
    "health",
    "ingest",
    "observed",
    "opening",
    "retention",
    "router",
    "session_store",
    "sessions",
    "skills",
    "stats",
    "suggestions",
    "traces",
]

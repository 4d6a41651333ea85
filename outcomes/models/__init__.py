"""Database models, one module per noun.

Tables that a settling transaction writes by the thousand have no foreign-key constraints: each
would cost a lookup per row, and the worker has just read the referenced rows anyway. Unique
constraints are still enforced.
"""

from outcomes.models.about_sessions import ChildSession, SessionMark, SessionNote, SessionRemoval
from outcomes.models.artifacts import (
    Artifact,
    ArtifactMaker,
    ArtifactStoreMark,
    ArtifactTotal,
    ArtifactUse,
)
from outcomes.models.backtests import Backtest, ChangedCall
from outcomes.models.calls import Call, Event
from outcomes.models.demo import DemoRun
from outcomes.models.fleet import AgentReport, AgentSeen
from outcomes.models.groups import CallGroup, GroupRollup
from outcomes.models.inbox import Batch, RejectedItem
from outcomes.models.installation import Host, Lease, SchemaState
from outcomes.models.names import Agent, Tool
from outcomes.models.observed import TickedLine
from outcomes.models.rejudging import PastVerdict, Rejudging, RejudgingPart
from outcomes.models.retention import (
    ArchivedDay,
    Erasure,
    Hold,
    RetentionMark,
    RetentionRule,
    RetentionRun,
)
from outcomes.models.rollups import Rollup, RollupChange, RollupMinute
from outcomes.models.saved_views import SavedView
from outcomes.models.search import IndexedCall, Posting, Principal, SearchIndex, UnindexedEvents
from outcomes.models.session_days import SessionDay, SessionDayChange
from outcomes.models.sessions import Session
from outcomes.models.spans import SpanTotal
from outcomes.models.store import SessionOwner, StoredValue
from outcomes.models.suggestions import Suggestion, SuggestionScan, SuspectedCall
from outcomes.models.totals import JobTotal, NamedTool, SeriesTotal

__all__ = [
    "Agent",
    "AgentReport",
    "AgentSeen",
    "ArchivedDay",
    "Artifact",
    "ArtifactMaker",
    "ArtifactStoreMark",
    "ArtifactTotal",
    "ArtifactUse",
    "Backtest",
    "Batch",
    "Call",
    "CallGroup",
    "ChangedCall",
    "ChildSession",
    "DemoRun",
    "Erasure",
    "Event",
    "GroupRollup",
    "Hold",
    "Host",
    "IndexedCall",
    "JobTotal",
    "Lease",
    "NamedTool",
    "PastVerdict",
    "Posting",
    "Principal",
    "RejectedItem",
    "Rejudging",
    "RejudgingPart",
    "RetentionMark",
    "RetentionRule",
    "RetentionRun",
    "Rollup",
    "RollupChange",
    "RollupMinute",
    "SavedView",
    "SchemaState",
    "SearchIndex",
    "SeriesTotal",
    "Session",
    "SessionDay",
    "SessionDayChange",
    "SessionMark",
    "SessionNote",
    "SessionOwner",
    "SessionRemoval",
    "SpanTotal",
    "StoredValue",
    "Suggestion",
    "SuggestionScan",
    "SuspectedCall",
    "TickedLine",
    "Tool",
    "UnindexedEvents",
]

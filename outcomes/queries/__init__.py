"""Every read of outcomes, split by noun; each starts from a project."""

from outcomes.queries.artifacts import artifact_with
from outcomes.queries.asking import approvals_of, calls_behind, calls_behind_among
from outcomes.queries.backtests import (
    backtest_numbered,
    backtests_of,
    newest_backtest_of,
    newest_backtest_of_bundle,
    newest_result_of,
    sampled_calls,
)
from outcomes.queries.call_lists import (
    SHOWN,
    Neighbours,
    calls_by_time,
    calls_of_session,
    neighbours_of,
    number_of,
    numbers_of,
)
from outcomes.queries.calls import (
    CallFilter,
    StoredEvent,
    WholeCall,
    call_named,
    calls,
    calls_before,
    events_of,
    newest_calls_named,
    newest_events,
    read_events,
    whole_calls,
)
from outcomes.queries.inbox import (
    faults_of,
    kinds_of_faults,
    rejected_count,
    rejected_items,
    set_aside_batches,
)
from outcomes.queries.paging import Page, Place, place_of
from outcomes.queries.rejudging import (
    past_verdicts,
    rejudging_numbered,
    rejudgings,
    result_so_far,
)
from outcomes.queries.reports import ReadReport, is_agent, reports_of
from outcomes.queries.saved_views import saved_views
from outcomes.queries.session_asking import Asking, asking_sessions
from outcomes.queries.session_list import (
    SessionFilter,
    SessionlessAgent,
    sessionless_agents,
    sessions_shown,
)
from outcomes.queries.session_page import SessionPage, whole_session
from outcomes.queries.session_reports import (
    SessionReport,
    report_of,
    session_named,
    sessions,
)
from outcomes.queries.session_search import FoundSessions, sessions_with
from outcomes.queries.session_states import state_of
from outcomes.queries.session_store import (
    Look,
    counters_of,
    looking_up,
    stored_value,
    stored_values,
)
from outcomes.queries.session_told import told_by
from outcomes.queries.settling import Backlog, backlog, is_settled, newest_batch
from outcomes.queries.stats import (
    StepFigures,
    figures,
    figures_by,
    figures_by_over_time,
    figures_over_time,
)

__all__ = [
    "SHOWN",
    "Asking",
    "Backlog",
    "CallFilter",
    "FoundSessions",
    "Look",
    "Neighbours",
    "Page",
    "Place",
    "ReadReport",
    "SessionFilter",
    "SessionPage",
    "SessionReport",
    "SessionlessAgent",
    "StepFigures",
    "StoredEvent",
    "WholeCall",
    "approvals_of",
    "artifact_with",
    "asking_sessions",
    "backlog",
    "backtest_numbered",
    "backtests_of",
    "call_named",
    "calls",
    "calls_before",
    "calls_behind",
    "calls_behind_among",
    "calls_by_time",
    "calls_of_session",
    "counters_of",
    "events_of",
    "faults_of",
    "figures",
    "figures_by",
    "figures_by_over_time",
    "figures_over_time",
    "is_agent",
    "is_settled",
    "kinds_of_faults",
    "looking_up",
    "neighbours_of",
    "newest_backtest_of",
    "newest_backtest_of_bundle",
    "newest_batch",
    "newest_calls_named",
    "newest_events",
    "newest_result_of",
    "number_of",
    "numbers_of",
    "past_verdicts",
    "place_of",
    "read_events",
    "rejected_count",
    "rejected_items",
    "rejudging_numbered",
    "rejudgings",
    "report_of",
    "reports_of",
    "result_so_far",
    "sampled_calls",
    "saved_views",
    "session_named",
    "sessionless_agents",
    "sessions",
    "sessions_shown",
    "sessions_with",
    "set_aside_batches",
    "state_of",
    "stored_value",
    "stored_values",
    "told_by",
    "whole_calls",
    "whole_session",
]

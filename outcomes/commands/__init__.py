"""Every write of outcomes: a verb, one transaction, split by noun."""

from outcomes.commands.accept import Accepted, accept
from outcomes.commands.ahead import Ahead
from outcomes.commands.artifacts import note_fetch, remove_unreferenced_artifacts, store_artifact
from outcomes.commands.backtests import (
    cancel_backtest,
    run_waiting_backtests,
    start_backtest,
    take_up_lost_backtests,
)
from outcomes.commands.batches import retry_batch
from outcomes.commands.claims import is_more_than_one_can_do
from outcomes.commands.counters import remove_idle_values, reset_counters
from outcomes.commands.demo import (
    ask_for_demo,
    cancel_demo,
    end_demo,
    next_demo,
    note_demo,
    remove_traffic,
)
from outcomes.commands.drift import find_drift
from outcomes.commands.faults import find_faults
from outcomes.commands.increments import Increment, counting_up
from outcomes.commands.old_calls import look_through_old_calls, waiting_old_calls
from outcomes.commands.presence import (
    forget_connected,
    note_connected,
    remove_agents_long_gone,
)
from outcomes.commands.rejudging import (
    cancel_rejudging,
    start_check_backtest,
    start_reclassification,
)
from outcomes.commands.rejudging_parts import run_waiting_parts, take_up_lost_parts
from outcomes.commands.reports import keep_report
from outcomes.commands.rolling_up import roll_up, roll_up_now_and_then
from outcomes.commands.saved_views import remove_view, rename_view, save_view
from outcomes.commands.session_days import count_days_now_and_then
from outcomes.commands.session_notes import remove_note, write_note
from outcomes.commands.session_owners import (
    forget_owners,
    is_known_owner,
    refuse_foreign_sessions,
)
from outcomes.commands.session_reading import read_older_now_and_then
from outcomes.commands.session_removal import (
    remove_session,
    run_waiting_removals,
    waiting_removals,
)
from outcomes.commands.session_store import count_up, put_value, remove_value
from outcomes.commands.settle import settle_inbox
from outcomes.commands.suggestion_looks import (
    ask_for_look,
    ask_for_looks,
    run_overdue_look,
    run_waiting_looks,
    take_up_lost_looks,
)
from outcomes.commands.suggestions import (
    ask_for_effect,
    bring_back_suggestion,
    dismiss_suggestion,
)
from outcomes.commands.trial_outcome import send_test_outcome
from outcomes.commands.unread import find_unread_documents

__all__ = [
    "Accepted",
    "Ahead",
    "Increment",
    "accept",
    "ask_for_demo",
    "ask_for_effect",
    "ask_for_look",
    "ask_for_looks",
    "bring_back_suggestion",
    "cancel_backtest",
    "cancel_demo",
    "cancel_rejudging",
    "count_days_now_and_then",
    "count_up",
    "counting_up",
    "dismiss_suggestion",
    "end_demo",
    "find_drift",
    "find_faults",
    "find_unread_documents",
    "forget_connected",
    "forget_owners",
    "is_known_owner",
    "is_more_than_one_can_do",
    "keep_report",
    "look_through_old_calls",
    "next_demo",
    "note_connected",
    "note_demo",
    "note_fetch",
    "put_value",
    "read_older_now_and_then",
    "refuse_foreign_sessions",
    "remove_agents_long_gone",
    "remove_idle_values",
    "remove_note",
    "remove_session",
    "remove_traffic",
    "remove_unreferenced_artifacts",
    "remove_value",
    "remove_view",
    "rename_view",
    "reset_counters",
    "retry_batch",
    "roll_up",
    "roll_up_now_and_then",
    "run_overdue_look",
    "run_waiting_backtests",
    "run_waiting_looks",
    "run_waiting_parts",
    "run_waiting_removals",
    "save_view",
    "send_test_outcome",
    "settle_inbox",
    "start_backtest",
    "start_check_backtest",
    "start_reclassification",
    "store_artifact",
    "take_up_lost_backtests",
    "take_up_lost_looks",
    "take_up_lost_parts",
    "waiting_old_calls",
    "waiting_removals",
    "write_note",
]

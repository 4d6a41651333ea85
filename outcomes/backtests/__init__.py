"""Recorded calls replayed against other rules: read in order, asked once each, added up."""

from outcomes.backtests.own import own_calls
from outcomes.backtests.replaying import Cancelled, Progress, Replay
from outcomes.backtests.selecting import Selection

__all__ = ["Cancelled", "Progress", "Replay", "Selection", "own_calls"]

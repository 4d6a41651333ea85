"""Sessions that limits stopped as recorded and would stop in the replay, by way of counting."""

from collections.abc import Sequence
from typing import Any

from governance.core.session_limits import SessionLimit
from outcomes.backtesting.domain.comparison import Recorded
from outcomes.backtesting.domain.session_replay import COUNTINGS, Result, SessionReplay, names_of
from outcomes.recorded_calls.domain import Change


class LimitSums:
    def __init__(self, limits: Sequence[SessionLimit]) -> None:
        self._limits = limits
        self._calls = [dict.fromkeys(COUNTINGS, 0) for _ in limits]
        self._sessions = [dict.fromkeys(COUNTINGS, 0) for _ in limits]
        self._recorded_calls = [0] * len(limits)
        self._recorded_sessions = [0] * len(limits)
        self._stopped_now: set[int] = set()
        self.sessions = 0
        self.stopped_sessions = 0  # by any limit, as it was recorded
        self.earlier_sessions = 0  # stopped as recorded, and earlier in the replay
        self.newly_stopped_sessions = 0  # only in the replay
        self.later_sessions = 0  # stopped as recorded, and later or not at all in the replay
        self._was_stopped = self._hits = self._goes_on = False

    def see(self, recorded: Recorded, result: Result) -> None:
        """Count a call of the current session, as recorded and as replayed."""
        if result.change is Change.NEWLY_DENIED and result.ruling.by_limit:
            self._hits = True
        if not recorded.by_limit:
            return
        self._goes_on |= result.change is Change.NEWLY_ALLOWED
        self._was_stopped = True
        for place, limit in enumerate(self._limits):
            if recorded.rule in names_of(limit):
                self._recorded_calls[place] += 1
                self._stopped_now.add(place)
                return

    def end_session(self, replay: SessionReplay) -> None:
        self.sessions += 1
        self.stopped_sessions += self._was_stopped
        self.earlier_sessions += self._hits and self._was_stopped
        self.newly_stopped_sessions += self._hits and not self._was_stopped
        self.later_sessions += self._goes_on and not self._hits
        for place in self._stopped_now:
            self._recorded_sessions[place] += 1
        for place, stops in enumerate(replay.stops()):
            for counting, calls in stops.items():
                if calls:
                    self._calls[place][counting] += calls
                    self._sessions[place][counting] += 1
        self._stopped_now.clear()
        self._was_stopped = self._hits = self._goes_on = False

    def as_json(self) -> dict[str, Any]:
        return {
            "sessions": self.sessions,
            "stopped_sessions": self.stopped_sessions,
            "earlier_sessions": self.earlier_sessions,
            "newly_stopped_sessions": self.newly_stopped_sessions,
            "later_sessions": self.later_sessions,
            "limits": [
                {
                    "limit": limit.kind,
                    "tool": limit.tool,
                    "value": limit.value,
                    "rule": limit.rule_ids[0] if limit.rule_ids and not limit.assumed else None,
                    "assumed": limit.assumed,
                    "sessions": {
                        "recorded": self._recorded_sessions[place],
                        **self._sessions[place],
                    },
                    "calls": {"recorded": self._recorded_calls[place], **self._calls[place]},
                }
                for place, limit in enumerate(self._limits)
            ],
        }

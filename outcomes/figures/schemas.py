"""Parameters of the figures route."""

from typing import Literal

from outcomes.web.schemas import CallFilterQuery


class StatsQuery(CallFilterQuery):
    by: Literal["tool", "agent", "session", "reason", "hour"] = "tool"

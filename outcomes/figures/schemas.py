"""What the routes of figures take."""

from typing import Literal

from outcomes.web.schemas import CallFilterQuery


class StatsQuery(CallFilterQuery):
    by: Literal["tool", "agent", "session", "reason", "hour"] = "tool"

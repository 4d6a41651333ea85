"""Simulated clock of the demo agents, which advances with their work."""

from datetime import datetime, timedelta


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def iso_time(self) -> str:
        return self.now.isoformat()

"""Requests of the reclassification API."""

from typing import Literal

from pydantic import ConfigDict

from outcomes.recorded_calls.selection import CallCriteria
from outcomes.stored.queries import CallFilter
from outcomes.web.schemas import CallFields, Text, listed


class ReclassificationIn(CallFields):
    """Which calls; what is left out does not narrow them."""

    model_config = ConfigDict(extra="forbid")

    agent: Text | list[Text] = ""  # names or globs
    tool: Text | list[Text] = ""

    def criteria(self) -> CallCriteria:
        return CallCriteria(
            environment=self.env,
            since=self.since,
            until=self.until,
            agents=listed(self.agent),
            tools=listed(self.tool),
            call_filter=CallFilter(
                session=self.session,
                type=self.type,
                reason=self.reason,
                verdict=self.verdict,
                disagreement=self.disagreement,
                contract=self.contract,
                version=self.version,
                text=self.q,
            ),
        )


class CheckBacktestIn(ReclassificationIn):
    yaml: str
    scope: Literal["", "bound", "all"] = ""  # empty: bound, where its name is bound to any call
    newer_included: bool = False  # of what its newest version includes

"""Which call of an agent is its newest, kept in step with the calls."""

from collections.abc import Iterable

from outcomes.database import bulk
from outcomes.figures.commands.counting import Change
from outcomes.models import AgentSeen
from outcomes.record.codec import CallRow


def note_agents(changes: Iterable[Change]) -> None:
    newest: dict[tuple[int, int], CallRow] = {}
    for _, row in changes:
        place = (row.environment, row.agent)
        known = newest.get(place)
        if known is None or (row.at, row.order) > (known.at, known.order):
            newest[place] = row
    rows = sorted((*place, row.at, row.id) for place, row in newest.items())
    bulk.keep_newest(AgentSeen, ("environment", "agent"), "at", ("call",), rows)

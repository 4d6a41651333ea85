"""Call rows for backtests, read a few thousand at a time."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from django.db.models import Q, QuerySet

from outcomes.backtesting.replay.names import Names
from outcomes.core.moments import moment_of
from outcomes.database.microseconds import Microseconds
from outcomes.models import Agent, Call, Tool
from outcomes.record.outcome import ToolExecutionResult

ROWS: Final = 4_000


class Row(NamedTuple):
    """A call, with its fields in the order of COLUMNS."""

    agent: str
    tool: str
    id: int
    session: int | None
    at: int  # microseconds
    call_index: int
    order: int
    environment: int
    digest: bytes
    call_id: str
    kind: str
    verdict: str
    reported: str
    classified: str
    verdict_reason: str
    reason: str
    rule: str
    from_sdk: bool
    version: int | None
    approval_requested: bool
    arguments: bytes | None

    @property
    def has_output(self) -> bool:
        """Whether the output is stored: then the call has a verdict or a reason for having none."""
        judged = self.classified or self.verdict_reason
        return bool(judged) and self.kind == ToolExecutionResult.kind


COLUMNS: Final = tuple({"at": "microseconds"}.get(name, name) for name in Row._fields)


class Rows:
    """Reader of call rows that loads each name in them once."""

    def __init__(self) -> None:
        self._agents, self._tools = Names(Agent), Names(Tool)

    def of(self, calls: QuerySet[Call]) -> list[Row]:
        values = calls.annotate(microseconds=Microseconds("at")).values_list(*COLUMNS)
        rows: Iterable[tuple[Any, ...]] = list(values)
        agents = self._agents.of({row[0] for row in rows})
        tools = self._tools.of({row[1] for row in rows})
        return [Row._make((agents[row[0]], tools[row[1]], *row[2:])) for row in rows]

    def pages(self, calls: QuerySet[Call], place: Sequence[str]) -> Iterator[list[Row]]:
        """Pages of calls, sorted by these columns. The first column is the call time."""
        page = self.of(calls[:ROWS])
        while page:
            yield page
            last = page[-1]
            at = moment_of(last.at)
            beyond, equal = Q(), Q()
            for name in place:
                value = at if name == "at" else getattr(last, name)
                beyond |= equal & Q((f"{name}__gt", value))
                equal &= Q((name, value))
            page = self.of(calls.filter(beyond, at__gte=at)[:ROWS])

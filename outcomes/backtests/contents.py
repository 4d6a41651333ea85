"""The arguments, principal and output of calls, read from their events, some hundred at a time."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from governance.domain.json_value import Json
from outcomes import codec
from outcomes.backtests.selecting import Row
from outcomes.domain.fold import fold
from outcomes.domain.outcome import NOT_REPORTED, NotReported, ToolExecutionResult
from outcomes.models import Event
from outcomes.queries.calls import IN_ONE_QUERY
from outcomes.wire import Sender, Source


@dataclass(frozen=True, slots=True)
class Content:
    arguments: Json = None
    principal: dict[str, Any] | None = None
    output: Json | NotReported = NOT_REPORTED


Key = tuple[int, bytes]
_Event = tuple[int, str, bytes]
_NOTHING = Content()


def contents_of(rows: Sequence[Row]) -> dict[int, Content]:
    """By the ids of the calls."""
    stored: dict[Key, list[_Event]] = defaultdict(list)
    for start in range(0, len(rows), IN_ONE_QUERY):
        part = rows[start : start + IN_ONE_QUERY]
        found = (
            Event.objects.filter(
                environment__in={row.environment for row in part},
                call_digest__in=[row.digest for row in part],
            )
            .order_by("id")
            .values_list("environment", "call_digest", "id", "source", "item")
        )
        for environment, digest, number, source, item in found:
            stored[environment, bytes(digest)].append((number, source, bytes(item)))
    return {row.id: _content(row, stored[row.environment, bytes(row.digest)]) for row in rows}


def _content(row: Row, events: list[_Event]) -> Content:
    if not events:
        return _NOTHING
    arguments: Json = None
    principal: Any = None
    output: Json | NotReported = NOT_REPORTED
    posted = 0
    for _, source, packed in events:
        item = _flat(codec.item_of(packed))
        told, by = item.get("tool_args"), item.get("principal")
        if told is not None:
            if arguments is not None and told != arguments:
                return _folded(row, events)
            arguments = told
        if by is not None:
            if principal is not None and by != principal:
                return _folded(row, events)
            principal = by
        if source == "outcomes":
            posted += 1
            if item["type"] == ToolExecutionResult.kind and "output" in item:
                output = item["output"]
    if posted > 1:  # two that say what became of it: which one does is for folding to tell
        return _folded(row, events)
    return Content(arguments, principal, output)


def _flat(item: Mapping[str, Any]) -> Mapping[str, Any]:
    payload = item.get("payload")
    if not isinstance(payload, dict):
        return item
    return {**payload, **{key: value for key, value in item.items() if value is not None}}


def _folded(row: Row, events: list[_Event]) -> Content:
    # Neither environment nor agent has a say in what is asked of it here, nor the time of receipt.
    sender = Sender("", row.agent, "", row.at)
    call = fold(
        [
            codec.unpack_event(packed, cast(Source, source), sender, number)
            for number, source, packed in events
        ]
    )
    if call is None:
        return _NOTHING
    outcome = call.outcome
    output = outcome.output if isinstance(outcome, ToolExecutionResult) else NOT_REPORTED
    return Content(call.tool_args, call.principal, output)

"""The arguments, principal and output of calls, read from their events."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.db import connection

from governance.domain.json_value import Json
from outcomes import codec
from outcomes.backtests.selecting import Row
from outcomes.domain.fold import fold
from outcomes.domain.outcome import NOT_REPORTED, NotReported, ToolExecutionResult
from outcomes.wire import Sender, Source


@dataclass(frozen=True, slots=True)
class Content:
    arguments: Json = None
    principal: dict[str, Any] | None = None
    output: Json | NotReported = NOT_REPORTED


_Event = tuple[int, str, bytes]
_NOTHING = Content()
_ON_POSTGRES = """
    SELECT c.id, e.id, e.source, e.item FROM outcomes_call c
    JOIN outcomes_event e ON e.environment_id = c.environment_id AND e.call_digest = c.digest
    WHERE c.id = ANY(%s) ORDER BY e.id
"""
_ON_SQLITE = """
    SELECT c.id, e.id, e.source, e.item FROM outcomes_call c
    JOIN outcomes_event e ON e.environment_id = c.environment_id AND e.call_digest = c.digest
    WHERE c.id IN (SELECT value FROM json_each(%s)) ORDER BY e.id
"""


def contents_of(rows: Sequence[Row]) -> dict[int, Content]:
    """By the ids of the calls."""
    events = _events_of([row.id for row in rows])
    return {row.id: _content(row, events.get(row.id, ())) for row in rows}


def _events_of(calls: list[int]) -> dict[int, list[_Event]]:
    """In the order of acceptance, and without the ORM, which costs as much as reading them."""
    found: dict[int, list[_Event]] = {}
    if not calls:
        return found
    on_postgres = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        if on_postgres:
            cursor.execute(_ON_POSTGRES, [calls])
        else:
            cursor.execute(_ON_SQLITE, [json.dumps(calls)])
        for call, number, source, item in cursor.fetchall():
            found.setdefault(call, []).append((number, source, bytes(item)))
    return found


def _content(row: Row, events: Sequence[_Event]) -> Content:
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


def _folded(row: Row, events: Sequence[_Event]) -> Content:
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

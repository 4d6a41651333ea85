"""The outputs of some calls, as a check sees them."""

import json
from collections.abc import Sequence
from typing import Final

from django.db import connection

from governance.domain.json_value import Json
from outcomes import codec
from outcomes.domain.outcome import NOT_REPORTED, NotReported, ToolExecutionResult
from outcomes.models import Call
from outcomes.queries.calls import whole_calls
from outcomes.rejudging.choosing import Row

RESULT: Final = ToolExecutionResult.kind
_ON_POSTGRES: Final = """
    SELECT c.id, e.item FROM outcomes_call c
    JOIN outcomes_event e ON e.environment_id = c.environment_id AND e.call_digest = c.digest
    WHERE e.source = 'outcomes' AND NOT e.set_apart AND c.id = ANY(%s)
"""
_ON_SQLITE: Final = """
    SELECT c.id, e.item FROM outcomes_call c
    JOIN outcomes_event e ON e.environment_id = c.environment_id AND e.call_digest = c.digest
    WHERE e.source = 'outcomes' AND NOT e.set_apart AND c.id IN (SELECT value FROM json_each(%s))
"""

Output = Json | NotReported


def outputs_of(rows: Sequence[Row]) -> dict[int, Output]:
    """Of those of these calls that have a result, by their ids."""
    results = [row.id for row in rows if row.kind == RESULT]
    found: dict[int, Output] = dict.fromkeys(results, NOT_REPORTED)
    if not results:
        return found
    twice: set[int] = set()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_ON_POSTGRES, [results])
        else:
            cursor.execute(_ON_SQLITE, [json.dumps(results)])
        for call, packed in cursor.fetchall():
            item = codec.item_of(bytes(packed))
            if item["type"] != RESULT or "output" not in item:
                continue
            if found[call] is not NOT_REPORTED:
                twice.add(call)
            found[call] = item["output"]
    if twice:  # which of two reports counts is for folding to tell
        found |= _folded(twice)
    return found


def _folded(calls: set[int]) -> dict[int, Output]:
    rows = list(Call.objects.filter(id__in=calls).select_related("agent", "environment"))
    return {
        whole.row.id: whole.folded.outcome.output
        for whole in whole_calls(rows)
        if isinstance(whole.folded.outcome, ToolExecutionResult)
    }

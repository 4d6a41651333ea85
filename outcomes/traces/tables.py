"""Columns of the downloaded table of spans by day."""

from typing import Final

from governance.core.tables import Columns
from outcomes.models import SpanTotal

SPANS: Final[Columns[SpanTotal]] = {
    "day": lambda row: row.day.isoformat(),
    "environment": lambda row: row.environment.name,
    "tool_spans": lambda row: row.tool_spans,
    "tool_calls": lambda row: row.tool_calls,
    "other_spans": lambda row: row.other_spans,
    "rejected_spans": lambda row: row.rejected_spans,
}

"""Rollups: what changed among calls, as differences added to the counts of their minutes."""

from collections import defaultdict
from collections.abc import Iterable

from outcomes import bulk
from outcomes.codec import CallRow
from outcomes.models import AgentMinute, ToolMinute

Change = tuple[CallRow | None, CallRow]  # a call as it was, if it was, and as it is
Gone = tuple[CallRow, None]

REASON = 64  # characters of a denial's reason that a rollup tells apart
_SUMS = ("calls", "disagreements")


def count(changes: Iterable[Change | Gone]) -> None:
    by_tool: dict[tuple[object, ...], list[int]] = defaultdict(lambda: [0, 0])
    by_agent: dict[tuple[object, ...], list[int]] = defaultdict(lambda: [0, 0])
    for old, new in changes:
        for row, sign in ((old, -1), (new, 1)):
            if row is None:
                continue
            minute = row.at.replace(second=0, microsecond=0)
            rest = (minute, row.kind, row.verdict, row.reason[:REASON])
            for counts, key in (
                (by_tool, (row.environment, row.tool, *rest)),
                (by_agent, (row.environment, row.agent, *rest)),
            ):
                sums = counts[key]
                sums[0] += sign
                sums[1] += sign * row.disagreement
    for model, name, counts in ((ToolMinute, "tool", by_tool), (AgentMinute, "agent", by_agent)):
        rows = sorted((*place, *sums) for place, sums in counts.items() if any(sums))
        bulk.add(model, ("environment", name, "minute", "kind", "verdict", "reason"), _SUMS, rows)

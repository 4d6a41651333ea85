"""Rollups of a period and unmerged changes, read in one statement to get a consistent snapshot.

Whole minutes are read from rollups; the seconds at both ends are counted from calls.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from governance.core.verdict import Verdict
from outcomes.core.durations import Pile, bucket_of
from outcomes.core.moments import minute_of
from outcomes.database import NO_BYTES
from outcomes.database.bulk import rows_as_stored
from outcomes.database.reading import reading
from outcomes.figures.codec.groups import (
    Counted,
    became,
    code_of,
    codes_of,
    is_unchecked,
    unpack_counted,
    unpack_counts,
    unpack_took,
)
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.rollups import COARSE, MINUTE, Run, joined, time_of
from outcomes.record.classification import ran_unchecked
from outcomes.record.outcome import REASON

_SUCCESS: Final = codes_of(Verdict.SUCCESS)
_FAILURE: Final = codes_of(Verdict.FAILURE)
_CALL: Final = -1  # marks a call in the step column; changes have 0
_ENVIRONMENTS: Final = "SELECT id FROM governance_environment WHERE project_id = %s"
_NO_CALL: Final = (
    "CAST(NULL AS varchar) AS kind, CAST(NULL AS varchar) AS verdict,"
    " CAST(NULL AS varchar) AS classified, CAST(NULL AS varchar) AS reason,"
    " CAST(NULL AS boolean) AS disagreement, CAST(NULL AS double precision) AS elapsed"
)
_ROLLUPS: Final = """
SELECT environment_id, step, start, tool, agent, counts, {durations}, {no_call}
FROM outcomes_rollup WHERE environment_id IN ({environments}) AND "of" = %s AND step = %s
"""
_MINUTES: Final = """
SELECT environment_id, 1, minute, 0, 0, counts, {durations}, {no_call}
FROM outcomes_rollupminute WHERE environment_id IN ({environments})
"""
_CHANGES: Final = """
SELECT environment_id, 0, first, 0, 0, counts, {durations}, {no_call}
FROM outcomes_rollupchange WHERE environment_id IN ({environments})
"""
_CALLS: Final = """
SELECT environment_id, -1, CAST(%s AS integer), tool_id, agent_id, {nothing}, {nothing},
       kind, verdict, classified, reason, disagreement, elapsed_ms
FROM outcomes_call WHERE environment_id IN ({environments})
  AND project_id = %s AND at >= %s AND at < %s
"""


CountKey = tuple[int, str]  # outcome code, and the beginning of a denial's reason


class Slot:
    """Counts of one cell. Charts have thousands of them, so durations are allocated lazily."""

    __slots__ = ("_pile", "counts", "differing")

    def __init__(self, pile: Pile | None = None) -> None:
        self.counts: defaultdict[CountKey, int] = defaultdict(int)
        self.differing: defaultdict[CountKey, int] = defaultdict(int)  # of these, disagreements
        self._pile = pile

    @property
    def pile(self) -> Pile:
        if self._pile is None:
            self._pile = Pile()
        return self._pile

    @property
    def is_measured(self) -> bool:
        return self._pile is not None

    def add(self, key: CountKey, calls: int, disagreements: int) -> None:
        self.counts[key] += calls
        if disagreements:
            self.differing[key] += disagreements

    def add_rollup(self, counts: bytes, durations: bytes | None) -> None:
        self.add_counted(unpack_counted(counts))
        if durations:
            self.pile.add(durations)

    def add_counted(self, rows: list[Counted]) -> None:
        counts, differing = self.counts, self.differing
        for code, reason, calls, disagreements in rows:
            key = code, reason
            counts[key] += calls
            if disagreements:
                differing[key] += disagreements

    def figures(self) -> Figures:
        figures = Figures()
        counts, unchecked = figures.counts, figures.unchecked
        for (code, reason), calls in self.counts.items():
            if calls:
                key = became(code, reason)
                counts[key] += calls
                if is_unchecked(code):
                    unchecked[key] += calls
        for (code, reason), disagreements in self.differing.items():
            if disagreements:
                figures.differing[became(code, reason)] += disagreements
        if self._pile is not None:
            buckets = self._pile.buckets().items()
            figures.durations = {bucket: calls for bucket, calls in buckets if calls}
        return figures


class RateSlot(Slot):
    """Successes and failures of a tool in one step, for a chart of rates. All other counts only
    go to the period's totals."""

    __slots__ = ("_failures", "_successes", "_wholes")

    def __init__(self, *wholes: Slot) -> None:
        self._wholes = wholes
        self._successes = self._failures = 0

    @property
    def rate(self) -> float | None:
        judged = self._successes + self._failures
        return self._successes / judged if judged else None

    @property
    def pile(self) -> Pile:
        return self._wholes[0].pile

    def add(self, key: CountKey, calls: int, disagreements: int) -> None:
        self.add_counted([(*key, calls, disagreements)])

    def add_counted(self, rows: list[Counted]) -> None:
        for totals in self._wholes:
            totals.add_counted(rows)
        for code, _, calls, _ in rows:
            if code in _SUCCESS:
                self._successes += calls
            elif code in _FAILURE:
                self._failures += calls


SlotOf = Callable[[int, int, int, int], Slot]  # from environment, minute, tool and agent (0: any)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    project: int
    environment: str  # empty: all
    tool: int | None
    agent: int | None
    by_tool: bool
    by_agent: bool
    since: datetime | None
    until: datetime | None
    durations: bool

    @property
    def minutes(self) -> tuple[int | None, int | None]:
        """Range of the period's whole minutes: the first one, and the first one after the last."""
        first = end = None
        if self.since is not None:
            first = minute_of(self.since)
            first += time_of(first) < self.since
        if self.until is not None:
            end = minute_of(self.until)
        return first, end

    def into(self, slot_of: SlotOf, runs: Sequence[Run]) -> None:
        """Add all counts of the period to slots; these rollups cover its whole minutes."""
        for environment, step, start, tool, agent, counts, durations, *call in self._rows(runs):
            if step == _CALL:
                _add_call(slot_of(environment, start, tool, agent), *call)
            elif step in COARSE:
                slot_of(environment, start, tool, agent).add_rollup(counts, durations)
            else:
                self._add_change(slot_of, environment, counts, durations)

    def _add_change(self, slot_of: SlotOf, environment: int, counts: Any, durations: Any) -> None:
        first, end = self.minutes

        def is_in_scope(minute: int, tool: int, agent: int) -> bool:
            return (
                (first is None or minute >= first)
                and (end is None or minute < end)
                and (self.tool is None or tool == self.tool)
                and (self.agent is None or agent == self.agent)
            )

        for minute, tool, agent, code, reason, calls, disagreements in unpack_counts(counts):
            if is_in_scope(minute, tool, agent):
                slot = slot_of(environment, minute, tool, agent)
                slot.add((code, reason), calls, disagreements)
        for minute, tool, agent, bucket, calls in unpack_took(durations) if durations else ():
            if is_in_scope(minute, tool, agent):
                slot_of(environment, minute, tool, agent).pile.count(bucket, calls)

    def _rows(self, runs: Sequence[Run]) -> list[tuple[Any, ...]]:
        statements, values = [], list[Any]()
        environments, project_values = _ENVIRONMENTS, list[Any]([self.project])
        if self.environment:
            environments += " AND name = %s"
            project_values.append(self.environment)
        nothing = NO_BYTES
        words = {
            "environments": environments,
            "nothing": nothing,
            "no_call": _NO_CALL,
            "durations": "durations" if self.durations else nothing,
        }
        for statement, before, conditions in self._parts(runs):
            conditions = [
                condition_pair for condition_pair in conditions if condition_pair[1] is not None
            ]
            filters = "".join(f" AND {condition}" for condition, _ in conditions)
            statements.append(statement.format(**words) + filters)
            values += before[0] + project_values + before[1]
            for _, value in conditions:
                values += value if isinstance(value, list) else [value]
        if not statements:
            return []
        return rows_as_stored(" UNION ALL ".join(statements), values)

    def _parts(self, runs: Sequence[Run]) -> Iterator[tuple[str, Any, list[tuple[str, Any]]]]:
        of = self._kind()
        named = [("tool = %s", self.tool), ("agent = %s", self.agent)]
        by_step: defaultdict[int, list[Run]] = defaultdict(list)
        for run in joined(runs):
            by_step[run.step].append(run)
        for step, those in by_step.items():
            if step == MINUTE:
                yield _MINUTES, ([], []), _in_runs("minute", those)
            else:
                yield _ROLLUPS, ([], [of, step]), [*_in_runs("start", those), *named]
        first, end = self.minutes
        if runs:
            yield _CHANGES, ([], []), [("last >= %s", first), ("first < %s", end)]
        adapt = reading().ops.adapt_datetimefield_value
        for since, until in self._outside_minutes():
            span = [self.project, adapt(since), adapt(until)]
            ids = [("tool_id = %s", self.tool), ("agent_id = %s", self.agent)]
            yield _CALLS, ([minute_of(since)], span), ids

    def _kind(self) -> int:
        by_tool = self.by_tool or self.tool is not None
        by_agent = self.by_agent or self.agent is not None
        return by_tool + 2 * by_agent

    def _outside_minutes(self) -> list[tuple[datetime, datetime]]:
        """Seconds at both ends of the period, outside its whole minutes."""
        first, end = self.minutes
        since, until = self.since, self.until
        is_within = first is not None and end is not None and first > end
        if is_within and since is not None and until is not None:
            return [(since, until)] if since < until else []
        stretches = []
        if since is not None and first is not None and since < time_of(first):
            stretches.append((since, time_of(first)))
        if until is not None and end is not None and time_of(end) < until:
            stretches.append((time_of(end), until))
        return stretches


def _in_runs(column: str, runs: Sequence[Run]) -> list[tuple[str, Any]]:
    """Conditions that select these runs. Starts are numbers and inlined in the statement, as there
    may be more than it accepts parameters."""
    if len(runs) == 1:
        return [(f"{column} >= %s", runs[0].first), (f"{column} < %s", runs[0].end)]
    starts = ", ".join(str(start) for run in runs for start in run.starts())
    return [(f"{column} IN ({starts})", [])]


def _add_call(
    slot: Slot,
    kind: str,
    verdict: str,
    classified: str,
    reason: str,
    disagreement: bool,  # noqa: FBT001 - the columns in their order
    elapsed: float | None,
) -> None:
    code = code_of(kind, verdict, unchecked=ran_unchecked(verdict, classified))
    slot.add((code, reason[:REASON]), 1, bool(disagreement))
    if elapsed is not None:
        slot.pile.count(bucket_of(elapsed), 1)

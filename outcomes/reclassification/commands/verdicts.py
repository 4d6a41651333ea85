"""Replace verdicts of recorded calls, and update all counts that depend on them.

Verdicts, rollups and sessions change in one transaction, in the order in which settling writes
them, so the two can't deadlock and readers never see a verdict that is not counted.
"""

from collections.abc import Iterable
from functools import partial
from typing import Final

from django.utils import timezone

from governance.delivery.queries.governing import Governing
from outcomes.database import bulk
from outcomes.figures.commands.grouping import Change, count, grouped
from outcomes.models import Call, PastVerdict
from outcomes.reclassification.classifying import Judged
from outcomes.record import codec
from outcomes.record.call_columns import Row
from outcomes.record.codec import CALL_COLUMNS, CallRow, Verdicts, verdicts_in
from outcomes.sessions.commands.long_sessions import LongSessions
from outcomes.sessions.commands.readings import Known, read_sessions

COLUMNS: Final = ("id", *Verdicts._fields, "verdict", "decided_by", "disagreement", "group")
_READ_SO: Final = (
    "session",
    "at",
    "order",
    "kind",
    "reported",
    "decided_by",
    "artifact_name",
    "elapsed_ms",
    "classified",
    "check_name",
    "check_version",
    "check_rule",
    "check_value",
)
_PAST: Final = {  # columns of a past verdict, and the matching columns of its call
    "check_name": "check_name",
    "check_version": "check_version",
    "verdict": "classified",
    "effective": "verdict",
    "decided_by": "decided_by",
    "rule": "check_rule",
    "value": "check_value",
    "reason": "verdict_reason",
    "labels": "labels",
    "cut": "cut",
}
Judgements = dict[int, tuple[Row, Judged]]
_NOBODY: Final = Known({}, frozenset())  # recorded calls add no names


def reclassify(
    judged: Iterable[tuple[Row, Judged]], governing: Governing, long: LongSessions
) -> set[int]:
    """Write verdicts in the caller's transaction. Returns ids of the calls that were not written,
    because they changed or were removed since they were read.
    """
    judgements = {
        row.id: (row, judgement) for row, judgement in judged if judgement.verdicts is not None
    }
    present = _locked(judgements)
    changes = list(_changes(present, judgements))
    _keep_past(changes)
    bulk.update(
        Call, COLUMNS, [tuple(getattr(new, name) for name in COLUMNS) for _, new in changes]
    )
    tools = {row.tool_number: row.tool for row, _ in judgements.values()}
    read_sessions(changes, governing, _NOBODY, partial(long.corrected, tools=tools))
    count(changes)
    return judgements.keys() - {call.id for call in present}


def _locked(judgements: Judgements) -> list[CallRow]:
    """Locked rows of the calls that are unchanged since they were read. A new result may have the
    same verdict, so all columns that identify a result are compared."""
    rows = Call.objects.select_for_update().filter(id__in=list(judgements))
    columns = rows.order_by("environment", "digest").values_list(*CALL_COLUMNS)
    calls = map(codec.call_row_of, bulk.rows_of(columns))
    return [call for call in calls if _is_as_read(call, judgements[call.id][0])]


def _changes(present: Iterable[CallRow], judgements: Judgements) -> Iterable[Change]:
    before: list[CallRow] = []
    after: list[CallRow] = []
    for old in present:
        _, judgement = judgements[old.id]
        if judgement.verdicts is None:
            continue
        before.append(old)
        after.append(
            old._replace(
                **judgement.verdicts._asdict(),
                verdict=judgement.change.after.value,
                decided_by=judgement.decided_by,
                disagreement=judgement.disagreement,
                group=None,
            )
        )
    both = zip(before, grouped(after), strict=True)
    return ((old, new) for old, new in both if new != old)


def _is_as_read(old: CallRow, row: Row) -> bool:
    return (old.agent, old.tool) == (row.agent_number, row.tool_number) and all(
        getattr(old, name) == getattr(row, name) for name in _READ_SO
    )


def _keep_past(changes: Iterable[Change]) -> None:
    now = timezone.now()
    rows = [
        (old.id, old.project, *(getattr(old, name) for name in _PAST.values()), now)
        for old, _ in changes
        if old is not None and _has_past(old)
    ]
    bulk.insert_missing(PastVerdict, ("call", "project", *_PAST, "until"), rows)


def _has_past(old: CallRow) -> bool:
    return bool(verdicts_in(old).check_name)

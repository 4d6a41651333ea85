"""Calls as list rows; fields without a column are read from events, one page at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from governance.core.json_value import Json
from governance.core.masking import Masking, masked
from outcomes.calls.queries.lists import Fold
from outcomes.figures.queries.doubt import suspected_among
from outcomes.models import Call
from outcomes.record.call import Call as Folded
from outcomes.record.classification import agent_check
from outcomes.search.queries.hits import principal_name
from outcomes.stored.queries import StoredCall, arguments_line, read_calls
from outcomes.web.paging import hash_of

FOLDED_FROM: Final = 4  # equal adjacent calls
NO_RESULT_AFTER: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class CallLine:
    row: Call
    folded: Folded | None
    number: int | None
    arguments: str
    principal: str
    judge: str
    is_late: bool
    begins_turn: bool
    in_doubt: bool = False  # counted as success, but a suggestion says failure
    folded_after: "tuple[CallLine, ...]" = ()  # collapsed repeats of the denied call

    @property
    def fold_ends(self) -> "tuple[CallLine, CallLine]":
        """Earliest and latest of the folded calls."""
        return self.folded_after[-1], self.folded_after[0]


@dataclass(frozen=True, slots=True)
class FoldLine:
    fold: Fold
    arguments: str


def call_lines(
    rows: Sequence[Call], now: datetime, numbers: Mapping[int, int] | None = None
) -> list[CallLine]:
    """List rows of calls. With `numbers`, which only a session's calls have, the first call of each
    turn is marked."""
    read = {stored.row.pk: stored for stored in read_calls(rows)}
    in_doubt = suspected_among(rows[0].project_id, rows) if rows else frozenset()
    lines, turn = [], ""
    for row in rows:
        stored = read.get(row.pk)
        lines.append(
            CallLine(
                row=row,
                folded=stored.folded if stored else None,
                number=(numbers or {}).get(row.pk),
                arguments=arguments_line(stored),
                principal=_principal_of(stored),
                judge=judge_of(row, stored.folded if stored else None),
                is_late=is_late(row, now),
                begins_turn=numbers is not None and row.turn_id != turn,
                in_doubt=row.pk in in_doubt,
            )
        )
        turn = row.turn_id
    return lines


def _principal_of(stored: StoredCall | None) -> str:
    if stored is None or stored.folded.principal is None:
        return ""
    shown, _ = masked(stored.folded.principal)
    return principal_name(shown) if isinstance(shown, dict) else ""


def fold_lines(folds: Sequence[Fold]) -> list[FoldLine]:
    """Folds with their arguments, read from the newest call because all have the same."""
    read = {stored.row.pk: stored for stored in read_calls([fold.row for fold in folds])}
    return [FoldLine(fold, arguments_line(read.get(fold.row.pk))) for fold in folds]


def folded(lines: Sequence[CallLine]) -> list[CallLine]:
    """Lines in which adjacent repeats of a denied call are collapsed to the first and the last."""
    shown: list[CallLine] = []
    for _, group in groupby(lines, key=_sameness):
        same = list(group)
        if len(same) < FOLDED_FROM or same[0].row.kind != "denied":
            shown += same
        else:
            shown += [replace(same[0], folded_after=tuple(same[1:-1])), same[-1]]
    return shown


def _sameness(line: CallLine) -> tuple[object, ...]:
    row = line.row
    arguments = None if row.arguments is None else bytes(row.arguments)
    key = row.tool_id, row.kind, row.reason, row.rule, arguments, row.turn_id, row.session_id
    return key if row.kind == "denied" and arguments is not None else (row.pk,)


def tag_of(rows: Sequence[Call], *more: object) -> str:
    """Hash that changes whenever a shown field changes."""
    shown = [
        (
            row.pk, row.kind, row.verdict, row.decided_by, row.reported, row.classified, row.reason,
            row.elapsed_ms, row.check_name, row.check_version, row.disagreement, row.would_deny,
            row.conflict, row.approval_requested, row.tool_id, row.at.timestamp(),
        )
        for row in rows
    ]  # fmt: skip
    return hash_of(shown, more)


def judge_of(row: Call, folded: Folded | None) -> str:
    """Name of what decided the verdict."""
    match row.decided_by:
        case "type":
            return "by its type"
        case "check" | "default":
            return f"{row.check_name} v{row.check_version}"
        case "agent":
            has_own = folded is not None and agent_check(folded.metadata) is not None
            return "agent's own check" if has_own else "agent"
        case _:
            return ""


def is_late(row: Call, now: datetime) -> bool:
    return row.kind == "" and row.at < now - NO_RESULT_AFTER


def principal_words(principal: Mapping[str, Json]) -> str:
    """Principal as plain values, its id first."""
    shown = Masking(dict(principal)).value(dict(principal))
    fields = shown.items() if isinstance(shown, dict) else ()
    plain = {name: value for name, value in fields if isinstance(value, str | int)}
    who = next((str(plain.pop(name)) for name in ("user_id", "service_id") if name in plain), "")
    return ", ".join(filter(None, [who, *(f"{name} {value}" for name, value in plain.items())]))

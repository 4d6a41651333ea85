"""Calls as lists show them: what their columns lack is read from their events, a page at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from governance.core.json_value import Json
from governance.core.masking import Masking
from outcomes.models import Call
from outcomes.record.arguments import arguments_line
from outcomes.record.call import Call as Folded
from outcomes.record.effective import agent_check
from outcomes.record.stored import whole_calls
from outcomes.web.tags import hash_of

FOLDED_FROM: Final = 4  # equal neighbours
NO_RESULT_AFTER: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class CallLine:
    row: Call
    folded: Folded | None
    number: int | None
    arguments: str
    judge: str
    is_late: bool
    begins_turn: bool
    folded_after: "tuple[CallLine, ...]" = ()  # the same call, denied again, in between

    @property
    def fold_ends(self) -> "tuple[CallLine, CallLine]":
        """The earliest and the latest of the folded calls."""
        return self.folded_after[-1], self.folded_after[0]


def call_lines(
    rows: Sequence[Call], now: datetime, numbers: Mapping[int, int] | None = None
) -> list[CallLine]:
    """With the numbers of a session's calls the turns are marked where they begin in the list, and
    what belongs to none where it follows one."""
    told = {whole.row.pk: whole for whole in whole_calls(rows)}
    lines, turn = [], ""
    for row in rows:
        whole = told.get(row.pk)
        lines.append(
            CallLine(
                row=row,
                folded=whole.folded if whole else None,
                number=(numbers or {}).get(row.pk),
                arguments=arguments_line(whole),
                judge=judge_of(row, whole.folded if whole else None),
                is_late=is_late(row, now),
                begins_turn=numbers is not None and row.turn_id != turn,
            )
        )
        turn = row.turn_id
    return lines


def folded(lines: Sequence[CallLine]) -> list[CallLine]:
    """Of a denied call that was repeated at once, only the first and the last are rows."""
    kept: list[CallLine] = []
    for _, group in groupby(lines, key=_sameness):
        same = list(group)
        if len(same) < FOLDED_FROM or same[0].row.kind != "denied":
            kept += same
        else:
            kept += [replace(same[0], folded_after=tuple(same[1:-1])), same[-1]]
    return kept


def _sameness(line: CallLine) -> tuple[object, ...]:
    row = line.row
    arguments = None if row.arguments is None else bytes(row.arguments)
    alike = row.tool_id, row.kind, row.reason, row.rule, arguments, row.turn_id, row.session_id
    return alike if row.kind == "denied" and arguments is not None else (row.pk,)


def tag_of(rows: Sequence[Call], *more: object) -> str:
    """Changes whenever anything changes that the rows show."""
    shown = [
        (
            row.pk, row.kind, row.verdict, row.decided_by, row.reported, row.classified, row.reason,
            row.elapsed_ms, row.check_name, row.check_version, row.disagreement, row.would_deny,
            row.conflict, row.asked, row.tool_id, row.at.timestamp(),
        )
        for row in rows
    ]  # fmt: skip
    return hash_of(shown, more)


def judge_of(row: Call, folded: Folded | None) -> str:
    """Who decided the verdict."""
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
    """Who asked, as far as it is told in plain values."""
    shown = Masking(dict(principal)).value(dict(principal))
    fields = shown.items() if isinstance(shown, dict) else ()
    told = {name: value for name, value in fields if isinstance(value, str | int)}
    who = next((str(told.pop(name)) for name in ("user_id", "service_id") if name in told), "")
    return ", ".join(filter(None, [who, *(f"{name} {value}" for name, value in told.items())]))

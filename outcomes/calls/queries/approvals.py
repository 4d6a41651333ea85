"""The calls that stand behind approvals, which know neither their call nor the rule that asks."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from django.db.models import Q

from governance.approvals.queries import Approval, approvals_near
from governance.core.json_value import Json
from outcomes.calls.domain import WITHIN, Ask, Asked, is_as_sent, pair
from outcomes.models import Call
from outcomes.record.call import Call as Folded
from outcomes.record.event import Asked as SaysAsked
from outcomes.record.selecting import with_names
from outcomes.record.stored import WholeCall, whole_calls

LOOKED_THROUGH: Final = 500


def calls_behind(project_id: int, approvals: Sequence[Approval]) -> dict[int, Call]:
    """By the approval's key; nothing for one whose event has not arrived."""
    if not approvals:
        return {}
    near = Q()
    for each in approvals:
        near |= Q(at__range=(each.created_at - WITHIN, each.created_at + WITHIN))
    rows = list(
        with_names(Call.objects.filter(near, project=project_id, asked=True)).order_by("-at")[
            :LOOKED_THROUGH
        ]
    )
    asked = [each for whole in whole_calls(rows) for each in _asked_in(whole)]
    return _paired(approvals, rows, asked)


def calls_behind_among(
    approvals: Sequence[Approval], known: Iterable[tuple[Call, Folded]]
) -> dict[int, Call]:
    """The same, of calls that somebody has read already."""
    found = [(row, call) for row, call in known if row.asked]
    asked = [
        _asked(row, call.session_id, call.account.timestamp, call.tool_args) for row, call in found
    ]
    return _paired(approvals, [row for row, _ in found], asked)


def approvals_of(whole: WholeCall) -> list[Approval]:
    """What this call asked for, in the order of asking; nothing of one that was asked elsewhere."""
    row = whole.row
    asked = [] if not row.asked else _asked_in(whole)
    if not asked:
        return []
    times = [each.at for each in asked]
    near = approvals_near(
        row.environment_id,
        agent_id=row.agent.name,
        tool_name=row.tool.name,
        since=min(times) - WITHIN,
        until=max(times) + WITHIN,
    )
    found = pair(map(_ask, near), asked)
    return [each for each in near if each.pk in found]


def _asked_in(whole: WholeCall) -> list[Asked]:
    return [
        _asked(whole.row, each.event.session_id, each.event.timestamp, each.event.tool_args)
        for each in whole.events
        if isinstance(each.event.report, SaysAsked)
    ]


def _paired(
    approvals: Sequence[Approval], rows: Iterable[Call], asked: Iterable[Asked]
) -> dict[int, Call]:
    by_id = {row.pk: row for row in rows}
    return {key: by_id[event.call] for key, event in pair(map(_ask, approvals), asked).items()}


def _ask(approval: Approval) -> Ask:
    return Ask(
        key=approval.pk,
        environment=approval.environment_id,
        agent=approval.agent_id,
        tool=approval.tool_name,
        session=approval.session_id,
        at=approval.created_at,
        arguments={
            each.name: json.loads(each.text)
            for each in approval.shown_arguments()
            if not each.masked and not each.is_cut
        },
    )


def _asked(row: Call, session: str | None, at: datetime, arguments: Json) -> Asked:
    return Asked(
        call=row.pk,
        environment=row.environment_id,
        agent=row.agent.name,
        tool=row.tool.name,
        session=session or "",
        at=at,
        arguments={
            name: value
            for name, value in (arguments if isinstance(arguments, dict) else {}).items()
            if is_as_sent(value)
        },
    )

"""Calls behind approvals: an approval names neither its call nor the rule that required it."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from django.db.models import Q

from governance.approvals.queries import Approval, approvals_near
from governance.core.json_value import Json
from outcomes.calls.domain import WITHIN, ApprovalEvent, ApprovalRequest, is_as_sent, pair_requests
from outcomes.models import Call
from outcomes.record.call import Call as Folded
from outcomes.record.event import ApprovalRequested
from outcomes.stored.queries import StoredCall, read_calls, with_names

MOST_CALLS: Final = 500


def calls_behind(project_id: int, approvals: Sequence[Approval]) -> dict[int, Call]:
    """Calls by approval id, without approvals whose event has not arrived."""
    if not approvals:
        return {}
    near = Q()
    for approval in approvals:
        near |= Q(at__range=(approval.created_at - WITHIN, approval.created_at + WITHIN))
    rows = list(
        with_names(Call.objects.filter(near, project=project_id, approval_requested=True)).order_by(
            "-at"
        )[:MOST_CALLS]
    )
    events = [approval for call in read_calls(rows) for approval in _approval_events(call)]
    return _paired(approvals, rows, events)


def calls_behind_among(
    approvals: Sequence[Approval], known: Iterable[tuple[Call, Folded]]
) -> dict[int, Call]:
    """Same as `calls_behind`, but searches calls that are already loaded."""
    asking = [(row, call) for row, call in known if row.approval_requested]
    events = [
        _approval_event(row, call.session_id, call.account.timestamp, call.tool_args)
        for row, call in asking
    ]
    return _paired(approvals, [row for row, _ in asking], events)


def approvals_of(call: StoredCall) -> list[Approval]:
    """Approvals that this call requested, oldest first."""
    row = call.row
    events = [] if not row.approval_requested else _approval_events(call)
    if not events:
        return []
    times = [event.at for event in events]
    near = approvals_near(
        row.environment_id,
        agent_id=row.agent.name,
        tool_name=row.tool.name,
        since=min(times) - WITHIN,
        until=max(times) + WITHIN,
    )
    pairs = pair_requests(map(_request, near), events)
    return [event for event in near if event.pk in pairs]


def _approval_events(call: StoredCall) -> list[ApprovalEvent]:
    return [
        _approval_event(
            call.row, stored.event.session_id, stored.event.timestamp, stored.event.tool_args
        )
        for stored in call.events
        if isinstance(stored.event.report, ApprovalRequested)
    ]


def _paired(
    approvals: Sequence[Approval], rows: Iterable[Call], events: Iterable[ApprovalEvent]
) -> dict[int, Call]:
    by_id = {row.pk: row for row in rows}
    return {
        key: by_id[event.call]
        for key, event in pair_requests(map(_request, approvals), events).items()
    }


def _request(approval: Approval) -> ApprovalRequest:
    return ApprovalRequest(
        key=approval.pk,
        environment=approval.environment_id,
        agent=approval.agent_id,
        tool=approval.tool_name,
        session=approval.session_id,
        at=approval.created_at,
        arguments={
            argument.name: json.loads(argument.text)
            for argument in approval.shown_arguments()
            if not argument.masked and not argument.is_cut
        },
    )


def _approval_event(row: Call, session: str | None, at: datetime, arguments: Json) -> ApprovalEvent:
    return ApprovalEvent(
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

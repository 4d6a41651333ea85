"""Data of a session's page: its report and the overview of its calls."""

from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q

from governance.delivery.queries.governing import Governing
from outcomes.calls.queries.lists import PLACE_IN_SESSION
from outcomes.models import Call, Session
from outcomes.record.brief_call import BriefCall
from outcomes.sessions.domain.overview import FAILED_BY_TYPE, Overview, overview_of
from outcomes.sessions.queries.readings import SessionReport, report_of

_MISSED: Final = Count("pk", filter=Q(reported="success"))
_UNSAID: Final = Count("pk", filter=Q(reported="") & ~Q(kind__in=FAILED_BY_TYPE))
READ_AT_ONCE: Final = 10_000  # of a longer session the newest calls are read for turns and waste
_COLUMNS: Final = (
    "id",
    "call_id",
    "at",
    "turn_id",
    "kind",
    "reason",
    "detail",
    "rule",
    "tool__name",
    "verdict",
    "reported",
    "elapsed_ms",
    "idempotent",
    "blocks_tool",
    "arguments",
    "artifact_name",
    "artifact__sha256",
    "artifact__size_bytes",
    "from_sdk",
    "classified",
    "check_name",
    "check_rule",
    "group__digest",
    "group__text",
)


@dataclass(frozen=True, slots=True)
class SessionPage:
    report: SessionReport
    overview: Overview
    calls: list[BriefCall]  # those that were read, in their order

    @property
    def session(self) -> Session:
        return self.report.session

    def numbers(self) -> dict[int, int]:
        """Numbers of the read calls by their ids."""
        return {call.id: number for number, call in enumerate(self.calls, self.overview.first)}

    @property
    def is_complete(self) -> bool:
        return self.overview.first == 1


def session_page(session: Session, *, at_once: int = READ_AT_ONCE) -> SessionPage:
    # Versions are never changed, so which environments deployed them does not matter here.
    governing = Governing([])
    if session.version is not None:
        governing.learn(session.version)
    report = report_of(session, governing)
    rows = Call.objects.filter(project=session.project_id, session=session)
    newest = rows.order_by(*(f"-{name}" for name in PLACE_IN_SESSION)).values_list(*_COLUMNS)
    brief = [_brief(*row) for row in newest[:at_once]]
    brief.reverse()
    # Counts and calls are two reads: a call may have been added in between.
    first = max(1, session.attempts - len(brief) + 1) if len(brief) == at_once else 1
    overview = overview_of(brief, first=first)
    if first > 1:  # it is told of all failures, whichever calls were read
        counts = rows.filter(verdict="failure").aggregate(missed=_MISSED, unsaid=_UNSAID)
        overview.missed, overview.unsaid = counts["missed"], counts["unsaid"]
    return SessionPage(report, overview, brief)


def _brief(*columns: object) -> BriefCall:
    call = BriefCall(*columns)  # type: ignore[arg-type]  # the columns stand in its order
    if call.arguments is not None:
        call = call._replace(arguments=bytes(call.arguments))
    if call.group_digest is not None:
        call = call._replace(group_digest=bytes(call.group_digest))
    return call

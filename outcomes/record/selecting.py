"""Calls by what a filter names: the lists of every room begin here."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.db.models.lookups import Exact

from outcomes.models import Call
from outcomes.record.codec import as_text, digest_of
from outcomes.record.outcome import REASON

PLACE_BY_TIME: Final = ("at", "order")  # of a call in a list, for paging
CALLS_SHOWN: Final = 100  # on a page
OPEN = "open"  # the type that a filter names for calls without an outcome
_NAMED = ("agent", "tool", "session", "environment", "version__bundle", "artifact")
# Of a busy session some megabytes, of a long contract half of one: a row of a list each.
_HEAVY = ("session__tally", "version__document", "version__session_rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """What a list of calls is narrowed to; empty: not at all."""

    session: str = ""
    agent: str = ""
    tool: str = ""
    tool_number: int = 0  # these two, where their numbers are known already
    agent_number: int = 0
    type: str = ""
    reason: str = ""
    rule: str = ""  # of a contract
    groups: frozenset[int] | None = None  # of what failed or was denied alike
    verdict: str = ""
    disagreement: bool | None = None
    environment: str = ""
    contract: str = ""  # by its name: calls that a version of it governed
    version: int | None = None  # of that contract
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""

    def given(self) -> dict[str, Any]:
        """Only what narrows the list, by name."""
        return {
            name: value for name, value in asdict(self).items() if value != getattr(ANY_CALL, name)
        }


ANY_CALL: Final = CallFilter()


def with_names(found: QuerySet[Call]) -> QuerySet[Call]:
    """With all that a row is shown with, read along."""
    return found.select_related(*_NAMED).defer(*_HEAVY)


def calls(project_id: int, wanted: CallFilter) -> QuerySet[Call]:
    """The calls of a project, newest first: by their time, then by acceptance."""
    found = with_names(Call.objects.filter(project=project_id))
    if wanted.environment:
        found = found.filter(environment__name=as_text(wanted.environment))
    if wanted.session:
        found = found.filter(session__digest=digest_of(wanted.session))
    if wanted.agent:
        found = found.filter(agent__digest=digest_of(wanted.agent))
    if wanted.agent_number:
        found = found.filter(agent=wanted.agent_number)
    found = found.filter(such_calls(wanted))
    if wanted.groups is not None:
        found = found.filter(group__in=wanted.groups)
    if wanted.since is not None:
        found = found.filter(at__gte=wanted.since)
    if wanted.until is not None:
        found = found.filter(at__lt=wanted.until)
    if wanted.text:
        text = as_text(wanted.text)
        found = found.filter(
            Q(call_id__icontains=text)
            | Q(tool__name__icontains=text)
            | Q(session__session_id__icontains=text)
            | Q(detail__icontains=text)
        )
    return found.order_by("-at", "-order")


def such_calls(wanted: CallFilter) -> Q:
    """What a filter says of a call itself: of its tool, its contract, and what became of it."""
    such = Q()
    if wanted.tool:
        such &= Q(tool__digest=digest_of(wanted.tool))
    if wanted.tool_number:
        such &= Q(tool=wanted.tool_number)
    if wanted.type:
        such &= Q(kind="" if wanted.type == OPEN else wanted.type)
    if wanted.reason:
        such &= _of_reason(as_text(wanted.reason))
    if wanted.rule:
        such &= Q(rule=as_text(wanted.rule))
    if wanted.verdict:
        such &= Q(verdict=wanted.verdict)
    if wanted.disagreement is not None:
        such &= Q(disagreement=wanted.disagreement)
    if wanted.contract:
        such &= Q(version__bundle__name=as_text(wanted.contract))
    if wanted.contract and wanted.version is not None:
        such &= Q(version__number=wanted.version)
    return such


def _of_reason(reason: str) -> Q:
    """Figures tell a reason by how it begins: what they lead to are all that begin so."""
    if len(reason) == REASON:
        return Q(Exact(Left("reason", REASON), reason))
    return Q(reason=reason)


def calls_before(found: QuerySet[Call], at: datetime, order: int) -> QuerySet[Call]:
    """The part of a list, newest first, that comes after this place."""
    return found.filter(Q(at__lt=at) | Q(at=at, order__lt=order))


def call_named(project_id: int, call_id: str, environment: str = "") -> Call | None:
    """The newest call of that id; ids are one's own in each environment."""
    return _calls_named(project_id, [call_id], environment).first()


def newest_calls_named(
    project_id: int, call_ids: Sequence[str], environment: str = ""
) -> list[Call]:
    """The newest call of each of these ids, in no order; of those that are there."""
    newest: dict[str, Call] = {}
    for row in _calls_named(project_id, call_ids, environment):
        newest.setdefault(row.call_id, row)
    return list(newest.values())


def _calls_named(project_id: int, call_ids: Sequence[str], environment: str) -> QuerySet[Call]:
    # By way of the environments, with which the index of ids begins: where the project is asked of
    # the calls, SQLite goes through all that it has, newest first.
    found = Call.objects.filter(
        environment__project=project_id,
        digest__in=[digest_of(call_id) for call_id in call_ids],
    )
    if environment:
        found = found.filter(environment__name=as_text(environment))
    return with_names(found).order_by("-at", "-order")

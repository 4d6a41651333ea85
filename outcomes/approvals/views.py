"""Approvals as people decide them: those that wait, with the call and the rule behind each, and
those that ended. Deciding itself is governance's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.approvals import queries as approvals_queries
from governance.approvals.queries import PLACE_BY_END, Approval, ended_approvals, ended_in
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.web.table_files import table_file
from outcomes.approvals.tables import APPROVALS
from outcomes.calls.queries.approvals import calls_behind, calls_behind_among
from outcomes.calls.views.rows import CallLine
from outcomes.core.scope import Scope, scope_from
from outcomes.models import Call, Session
from outcomes.web.key_paging import page_of
from outcomes.web.named import named_session, session_at
from outcomes.web.paging import every, links_of, start_of, with_query
from outcomes.web.scope import scope_of
from outcomes.web.sentences import number_word
from outcomes.web.tags import hash_of

WAITING_SHOWN: Final = 50
ENDED_SHOWN: Final = 25
LOOKED_THROUGH: Final = 500  # of a session, those too that do not tell whose they are
SOON: Final = 90  # seconds


@dataclass(frozen=True, slots=True)
class WaitingLine:
    approval: Approval
    call: Call | None
    left: int  # whole seconds

    @property
    def left_words(self) -> str:
        return left_words(self.left)

    @property
    def is_soon(self) -> bool:
        return self.left < SOON

    @property
    def session_id(self) -> str:
        if self.approval.session_id:
            return self.approval.session_id
        return self.call.session.session_id if self.call and self.call.session else ""


def _file(request: MemberRequest, now: datetime, scope: Scope) -> HttpResponseBase | None:
    """Those that wait, and then those that ended."""
    project, (since, until) = request.project.pk, scope.bounds

    def rows() -> Iterator[Approval]:
        yield from approvals_queries.waiting_approvals(
            project, now, environment=scope.environment, agent=scope.agent, limit=LOOKED_THROUGH
        )
        ended = ended_approvals(
            project,
            now,
            since=since,
            until=until,
            environment=scope.environment,
            agent=scope.agent,
        )
        yield from every(
            lambda before: page_of(ended, PLACE_BY_END, size=LOOKED_THROUGH, before=before),
            PLACE_BY_END,
        )

    return table_file(request, request.project, "approvals", APPROVALS, rows)


@require_safe
@member_page()
def approvals(request: MemberRequest) -> HttpResponseBase:
    now, scope = timezone.now(), scope_of(request, is_list=True)
    if (file := _file(request, now, scope)) is not None:
        return file
    project, (since, until) = request.project.pk, scope.bounds
    of = {"environment": scope.environment, "agent": scope.agent}
    waiting = approvals_queries.waiting_approvals(project, now, **of, limit=WAITING_SHOWN)
    start = start_of(request.GET, PLACE_BY_END)
    page = page_of(
        ended_approvals(project, now, since=since, until=until, **of),
        PLACE_BY_END,
        size=ENDED_SHOWN,
        before=start.before,
        after=start.after,
    )
    calls = calls_behind(project, [*waiting, *page.rows])
    counted = scope if since is not None and until is not None else _usual(scope, now)
    before, counts = ended_in(
        project, counted.previous.since, counted.since, min(counted.until, now), **of
    )
    context = {
        "page_title": "Approvals",
        "waiting": _waiting(request, waiting, calls, now, scope),
        "ended": [(each, calls.get(each.pk)) for each in page.rows],
        "counts": counts,
        "counts_before": before,
        "counted": counted,
        "links": links_of(page, PLACE_BY_END, with_query(request.path, **scope.query())),
        "is_newest": start.is_newest,
    }
    return render(request, "approvals/approvals.html", context)


def _usual(scope: Scope, now: datetime) -> Scope:
    """What is counted where the list has no bounds."""
    return scope_from(
        {"environment": scope.environment, "agent": scope.agent}, now=now, zone=scope.zone
    )


@require_safe
@member_page()
def waiting_approvals(request: MemberRequest) -> HttpResponse:
    """The part that waits, of the whole project or of a session; nothing when it is as it was."""
    now = timezone.now()
    if "of" in request.GET:
        found = session_approvals(request, named_session(request, request.GET["of"]))
    else:
        scope = scope_of(request, is_list=True)
        waiting = approvals_queries.waiting_approvals(
            request.project.pk,
            now,
            environment=scope.environment,
            agent=scope.agent,
            limit=WAITING_SHOWN,
        )
        calls = calls_behind(request.project.pk, waiting)
        found = _waiting(request, waiting, calls, now, scope)
    if request.GET.get("tag") == found["tag"]:
        return HttpResponse(status=204)
    context = {"waiting": found, "alone": True}
    return render(request, "approvals/_approvals_waiting.html", context)


def session_approvals(
    request: MemberRequest, session: Session, known: Sequence[CallLine] | None = None
) -> dict[str, Any]:
    """What waits in this session, with the calls behind it among those that are known, if any."""
    now = timezone.now()
    asking = approvals_queries.waiting_approvals(
        request.project.pk,
        now,
        environment=session.environment.name,
        session=session.session_id,
        limit=LOOKED_THROUGH,
    )
    if known is None:
        calls = calls_behind(request.project.pk, asking)
    else:
        told = [(line.row, line.folded) for line in known if line.folded is not None]
        calls = calls_behind_among(asking, told)
    own = {key for key, call in calls.items() if call.session_id == session.pk}
    waiting = [each for each in asking if each.session_id or each.pk in own][:WAITING_SHOWN]
    return _waiting(request, waiting, calls, now, session)


def _waiting(
    request: MemberRequest,
    waiting: list[Approval],
    calls: dict[int, Call],
    now: datetime,
    of: Scope | Session,
) -> dict[str, Any]:
    lines = [
        WaitingLine(each, calls.get(each.pk), max(0, ceil((each.ends_at - now).total_seconds())))
        for each in waiting
    ]
    known = [(line.approval.pk, line.call.pk if line.call else None) for line in lines]
    tag = hash_of(known)
    slug = request.project.slug
    if isinstance(of, Scope):
        chosen, here = of.query(), reverse("outcomes:approvals", args=[slug])
        here = with_query(here, **chosen)
    else:
        chosen = {"environment": of.environment.name, "of": of.session_id}
        here = session_at(request, of)
    return {
        "lines": lines,
        "of_session": isinstance(of, Session),
        "how_many": number_word(len(lines)).capitalize(),
        "is_cut": len(lines) == WAITING_SHOWN,
        "may_decide": may(request.role, Action.DECIDE_APPROVAL),
        "tag": tag,
        "back": here,
        "url": with_query(reverse("outcomes:waiting_approvals", args=[slug]), **chosen, tag=tag),
    }


def left_words(seconds: int) -> str:
    """As the script counts on; both units always, so that little changes its width."""
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3_600:
        return f"{seconds // 60} min {seconds % 60} s"
    if seconds < 86_400:
        return f"{seconds // 3_600} h {seconds % 3_600 // 60} min"
    return f"{seconds // 86_400} d {seconds % 86_400 // 3_600} h"

"""Pending and ended approvals, with their calls and rules. Governance handles decisions."""

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
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from governance.approvals import queries as approvals_queries
from governance.approvals.commands import UNDO
from governance.approvals.domain import Amount, amount_of
from governance.approvals.queries import PLACE_BY_END, Approval, ended_approvals, ended_in
from governance.approvals.words import details, is_title_cut, subject, title, title_html
from governance.core.approval_status import OnTimeout
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may_somewhere
from governance.web.table_files import table_file
from outcomes.approvals import words
from outcomes.approvals.queries import Context, contexts_of
from outcomes.approvals.tables import APPROVALS
from outcomes.calls.queries.approvals import calls_behind, calls_behind_among
from outcomes.calls.views.rows import CallLine
from outcomes.core.scope import Scope, scope_from
from outcomes.models import Call, Session
from outcomes.web.addresses import named_session, session_at
from outcomes.web.paging import Page, Start, every, hash_of, links_of, page_of, start_of, with_query
from outcomes.web.scope import scope_of

WAITING_SHOWN: Final = 50
ENDED_SHOWN: Final = 25
MOST_PENDING: Final = 500  # in a session, including approvals without a session id
SOON: Final = 90  # seconds


@dataclass(frozen=True, slots=True)
class WaitingLine:
    approval: Approval
    call: Call | None
    context: Context
    now: datetime

    @property
    def left(self) -> int:
        """Time left, in whole seconds."""
        return max(0, ceil((self.approval.ends_at - self.now).total_seconds()))

    @property
    def left_words(self) -> str:
        return words.left_words(self.left)

    @property
    def is_soon(self) -> bool:
        return self.left < SOON

    @property
    def title(self) -> SafeString:
        return title_html(self.approval)

    @property
    def is_title_cut(self) -> bool:
        return is_title_cut(self.approval)

    @property
    def name(self) -> str:
        """Plain title, for labels that distinguish the page's many buttons."""
        return title(self.approval)

    @property
    def amount(self) -> Amount | None:
        return amount_of(self.approval.shown_arguments())

    @property
    def warning(self) -> str:
        return words.warning_words(self.context.earlier, self.now)

    @property
    def earlier(self) -> str:
        return words.earlier_words(self.context.earlier, self.approval.tool_name, self.now)

    @property
    def earlier_by(self) -> str:
        """Author of the earlier decision, if there is exactly one."""
        earlier = self.context.earlier.approvals
        return earlier[0][0].decided_by if len(earlier) == 1 else ""

    @property
    def so_far(self) -> str:
        so_far = self.context.so_far
        return words.so_far_words(so_far, self.approval.tool_name) if so_far else ""

    @property
    def hides_arguments(self) -> bool:
        """Whether any argument is masked, cut or left out."""
        arguments = self.approval.shown_arguments()
        is_hidden = any(each.masked or each.is_cut for each in arguments)
        return is_hidden or self.approval.more_arguments() > 0

    @property
    def session_id(self) -> str:
        if self.approval.session_id:
            return self.approval.session_id
        return self.call.session.session_id if self.call and self.call.session else ""


@dataclass(frozen=True, slots=True)
class UndoLine:
    """A decision that can be undone."""

    approval: Approval
    now: datetime

    @property
    def left(self) -> int:
        return max(1, ceil((self.approval.ends_at - self.now).total_seconds()))

    @property
    def subject(self) -> str:
        return subject(self.approval)


def _file(request: MemberRequest, now: datetime, scope: Scope) -> HttpResponseBase | None:
    """Approvals file, if requested: pending ones first, then ended ones."""
    project, (since, until) = request.project.pk, scope.bounds

    def rows() -> Iterator[Approval]:
        yield from approvals_queries.waiting_approvals(
            project, now, environment=scope.environment, agent=scope.agent, limit=MOST_PENDING
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
            lambda before: page_of(ended, PLACE_BY_END, size=MOST_PENDING, before=before),
            PLACE_BY_END,
        )

    return table_file(request, request.project, "approvals", APPROVALS, rows)


@require_safe
@member_page()
def approvals(request: MemberRequest) -> HttpResponseBase:
    now, scope = timezone.now(), scope_of(request, is_list=True)
    if (file := _file(request, now, scope)) is not None:
        return file
    live, start = _live(request, now, scope), start_of(request.GET, PLACE_BY_END)
    ended = _ended(request, now, scope, start)
    calls = calls_behind(request.project.pk, [*live, *ended.rows])
    context = {
        "page_title": "Approvals",
        "waiting": _waiting(request, live, calls, now, scope),
        **_decided(request, scope, now, ended, calls),
        "is_newest": start.is_newest,
    }
    return render(request, "approvals/approvals.html", context)


def _live(request: MemberRequest, now: datetime, scope: Scope) -> list[Approval]:
    return approvals_queries.live_approvals(
        request.project.pk,
        now,
        environment=scope.environment,
        agent=scope.agent,
        limit=2 * WAITING_SHOWN,
    )


def _ended(request: MemberRequest, now: datetime, scope: Scope, start: Start) -> Page[Approval]:
    since, until = scope.bounds
    return page_of(
        ended_approvals(
            request.project.pk,
            now,
            since=since,
            until=until,
            environment=scope.environment,
            agent=scope.agent,
        ),
        PLACE_BY_END,
        size=ENDED_SHOWN,
        before=start.before,
        after=start.after,
    )


def _decided(
    request: MemberRequest,
    scope: Scope,
    now: datetime,
    page: Page[Approval],
    calls: dict[int, Call],
) -> dict[str, Any]:
    """The list of ended approvals, with its counts."""
    project, (since, until) = request.project.pk, scope.bounds
    filters = {"environment": scope.environment, "agent": scope.agent}
    counted = scope if since is not None and until is not None else _usual(scope, now)
    _, counts = ended_in(
        project, counted.previous.since, counted.since, min(counted.until, now), **filters
    )
    here = reverse("outcomes:approvals", args=[request.project.slug])
    return {
        "ended": [
            (approval, calls.get(approval.pk), title_html(approval), details(approval))
            for approval in page.rows
        ],
        "counts": counts,
        "counted": counted,
        "links": links_of(page, PLACE_BY_END, with_query(here, **scope.query())),
    }


def _usual(scope: Scope, now: datetime) -> Scope:
    """Scope with the default period, for counts if the list is unbounded."""
    return scope_from(
        {"environment": scope.environment, "agent": scope.agent}, now=now, zone=scope.zone
    )


@require_safe
@member_page()
def waiting_approvals(request: MemberRequest) -> HttpResponse:
    """Pending approvals of the project or of a session; 204 when unchanged."""
    now = timezone.now()
    if "of" in request.GET:
        part = session_approvals(request, named_session(request, request.GET["of"]))
        return _if_changed(request, part, {})
    scope = scope_of(request, is_list=True)
    live = _live(request, now, scope)
    calls = calls_behind(request.project.pk, live)
    part = _waiting(request, live, calls, now, scope)
    if part["tag"] == request.GET.get("tag") or "paged" in request.GET:
        return _if_changed(request, part, {})
    ended = _ended(request, now, scope, Start(None, None))
    calls = calls_behind(request.project.pk, ended.rows)
    decided = _decided(request, scope, now, ended, calls)
    return _if_changed(request, part, decided | {"is_newest": True})


def _if_changed(
    request: MemberRequest, part: dict[str, Any], decided: dict[str, Any]
) -> HttpResponse:
    if request.GET.get("tag") == part["tag"]:
        return HttpResponse(status=204)
    context = {"waiting": part, "alone": True, **decided}
    return render(request, "approvals/_approvals_waiting.html", context)


def session_approvals(
    request: MemberRequest, session: Session, known: Sequence[CallLine] | None = None
) -> dict[str, Any]:
    """Context of the pending approvals in this session, with their calls."""
    now = timezone.now()
    asking = approvals_queries.live_approvals(
        request.project.pk,
        now,
        environment=session.environment.name,
        session=session.session_id,
        limit=MOST_PENDING,
    )
    calls = _calls_of_session(request.project.pk, asking, known) if asking else {}
    own = {key for key, call in calls.items() if call.session_id == session.pk}
    live = [approval for approval in asking if approval.session_id or approval.pk in own]
    return _waiting(request, live, calls, now, session)


def _calls_of_session(
    project_id: int, asking: Sequence[Approval], known: Sequence[CallLine] | None
) -> dict[int, Call]:
    """Calls behind these approvals, by approval key. `known`: calls already read for the page."""
    if known is None:
        return calls_behind(project_id, asking)
    read = [(line.row, line.folded) for line in known if line.folded is not None]
    return calls_behind_among(asking, read)


def _waiting(
    request: MemberRequest,
    live: list[Approval],
    calls: dict[int, Call],
    now: datetime,
    about: Scope | Session,
) -> dict[str, Any]:
    waiting = [each for each in live if not each.decided_by][:WAITING_SHOWN]
    undoable = [each for each in live if each.decided_by]
    known = [(each.pk, calls[each.pk].pk if each.pk in calls else None) for each in waiting]
    tag = hash_of(known, [each.pk for each in undoable])
    if tag == request.GET.get("tag"):
        return {"tag": tag}
    session = about if isinstance(about, Session) else None
    contexts = contexts_of(request.project.pk, waiting, calls, now, session) if waiting else {}
    lines = [
        WaitingLine(approval, calls.get(approval.pk), contexts[approval.pk], now)
        for approval in waiting
    ]
    slug = request.project.slug
    if isinstance(about, Scope):
        chosen, here = about.query(), reverse("outcomes:approvals", args=[slug])
        here = with_query(here, **chosen)
        if not start_of(request.GET, PLACE_BY_END).is_newest:
            chosen |= {"paged": "1"}
    else:
        chosen = {"environment": about.environment.name, "of": about.session_id}
        here = session_at(request, about)
    return {
        "lines": lines,
        "undoable": [UndoLine(each, now) for each in undoable],
        "undo_s": int(UNDO.total_seconds()),
        "sentence": _sentence(lines),
        "of_session": session is not None,
        "is_cut": len(lines) == WAITING_SHOWN,
        "may_decide": may_somewhere(request.actor, Action.DECIDE_APPROVAL),
        "tag": tag,
        "back": here,
        "url": with_query(reverse("outcomes:waiting_approvals", args=[slug]), **chosen, tag=tag),
    }


def _sentence(lines: list[WaitingLine]) -> SafeString:
    if not lines:
        return SafeString("No approvals pending")
    first = lines[0]
    return words.sentence(
        first.title,
        first.name,
        first.left,
        number=len(lines),
        is_cut=len(lines) == WAITING_SHOWN,
        then_runs=first.approval.on_timeout == OnTimeout.ALLOW,
    )

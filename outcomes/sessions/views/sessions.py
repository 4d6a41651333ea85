"""The list of sessions, and its part that keeps itself up to date."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, beside, member_page
from governance.web.table_files import table_file
from outcomes.core.scope import NAMES
from outcomes.figures.comparison import newest_event
from outcomes.models import Session
from outcomes.sessions.domain.facets import Facets, facets_of
from outcomes.sessions.queries.groups import EXACT_UP_TO, bounded, session_groups
from outcomes.sessions.queries.list import IN_A_FILE, sessionless_agents, sessions_shown
from outcomes.sessions.queries.matching import Asking, asking_sessions
from outcomes.sessions.queries.order import ORDERS, PLACE, USUAL, Order
from outcomes.sessions.queries.states import state_of
from outcomes.sessions.tables import SESSIONS
from outcomes.sessions.views.choices import STATES, Choices, choices_of
from outcomes.sessions.views.facets import facets_shown, heads_of
from outcomes.sessions.views.tags import in_list
from outcomes.sessions.words import sentences
from outcomes.sessions.words.previous import previous_period_words
from outcomes.web.narrowing import narrowing_context, narrowing_of
from outcomes.web.paging import every, files_of, links_of, start_of, with_query
from outcomes.web.tags import hash_of

KEPT: Final = ("q", "state", "limit", "has", "sort")  # beside the scope and the contract
LOOK_EVERY: Final = 15  # seconds: sessions end, and approvals run out, without any event


@require_safe
@member_page()
def sessions(request: MemberRequest) -> HttpResponseBase:
    if (file := _file(request)) is not None:
        return file
    choices = _choices(request)
    context = _list(request, choices) | {
        "page_title": "Sessions",
        "sessionless": sessionless_agents(request.project.pk, request.GET.get("environment", "")),
    }
    slug, query = request.project.slug, choices.query()
    for name, view in (
        ("saved_views_url", "saved_views"),
        ("view_choices_url", "saved_view_choices"),
    ):
        context[name] = with_query(reverse(f"outcomes:{view}", args=[slug]), **query)
    others = {name: request.GET.get(name, "") for name in (*NAMES, *KEPT)}
    context |= narrowing_context(request, narrowing_of(request), request.path, **others)
    return render(request, "sessions/sessions.html", context)


@require_safe
@member_page()
def session_rows(request: MemberRequest) -> HttpResponse:
    newest, known = newest_event(request.project.pk), request.GET.get("tag", "")
    is_as_known = known.startswith(f"{newest}.")
    if is_as_known and int(timezone.now().timestamp()) % LOOK_EVERY:
        return HttpResponse(status=204)
    context = _list(request, _choices(request))
    if known == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "sessions/_session_rows.html", context | {"alone": True})


def _choices(request: MemberRequest) -> Choices:
    return choices_of(request, reverse("outcomes:sessions", args=[request.project.slug]))


def _file(request: MemberRequest) -> HttpResponseBase | None:
    project, now, choices = request.project.pk, timezone.now(), _choices(request)

    def rows() -> Iterator[Session]:
        asking = asking_sessions(project, now)
        wanted = bounded(project, choices.wanted)
        are_many = session_groups(project, wanted, now, asking).are_many
        order, turned = _order(choices, are_many=are_many)
        return every(
            lambda before: sessions_shown(
                project,
                wanted,
                now,
                asking,
                order=order,
                turned=turned,
                before=before,
                size=IN_A_FILE,
            ),
            PLACE,
        )

    return table_file(request, request.project, "sessions", SESSIONS, rows)


def _list(request: MemberRequest, choices: Choices) -> dict[str, Any]:
    now, project = timezone.now(), request.project.pk
    asking = asking_sessions(project, now)
    wanted = bounded(project, choices.wanted)
    counted = session_groups(project, wanted, now, asking)
    found = facets_of(counted.groups, choices.chosen)
    order, turned = _order(choices, are_many=counted.are_many)
    start = start_of(request.GET, PLACE, order.kinds)
    page = sessions_shown(
        project,
        wanted,
        now,
        asking,
        order=order,
        turned=turned,
        before=start.before,
        after=start.after,
    )
    rows = [(row, state_of(row, now, asking)) for row in page.rows]
    tag = f"{counted.newest_event}.{hash_of([(in_list(row), state) for row, state in rows], found)}"
    address = choices.with_other()
    environments = len(beside(request, request.project).waiting)
    return {
        "rows": rows,
        "tag": tag,
        "choices": choices,
        "has_environments": environments > 1 and not choices.chosen.environment,
        "sentence": _sentence(choices, found, is_exact=counted.is_exact),
        "before": _before(choices, project, now),
        "states": _states(choices, found),
        "facets": facets_shown(found, choices, environments=environments),
        "heads": heads_of(choices, indexed_only=counted.are_many),
        "is_exact": counted.is_exact,
        "are_many": counted.are_many,
        "exact_up_to": EXACT_UP_TO,
        "kept": {name: value for name, value in choices.query().items() if value and name != "q"},
        "shown": _shown(len(rows), found, order, turned=turned, is_exact=counted.is_exact),
        "links": links_of(page, PLACE, address),
        "files": files_of(address),
        "live_url": _live(request, choices, tag) if start.is_newest else "",
    }


def _order(choices: Choices, *, are_many: bool) -> tuple[Order, bool]:
    """Very many sessions are shown in the orders that an index has."""
    if not are_many or choices.order.indexed:
        return choices.order, choices.turned
    return ORDERS[USUAL], False


def _live(request: MemberRequest, choices: Choices, tag: str) -> str:
    rows = reverse("outcomes:session_rows", args=[request.project.slug])
    return with_query(rows, **choices.query(), tag=tag)


def _states(choices: Choices, found: Facets) -> list[tuple[str, str, int, str]]:
    state = choices.chosen.state
    return [
        (
            name,
            word,
            found.states[name] if name else found.all,
            choices.with_other(state=name),
        )
        for name, word in STATES.items()
        if name != "waiting" or found.states["waiting"] or state == "waiting"
    ]


def _shown(rows: int, found: Facets, order: Order, *, turned: bool, is_exact: bool) -> str:
    words = order.turned if turned else order.words
    if is_exact:
        return f"{rows:,} of {found.shown:,}, {words}"
    return f"{rows:,}, {words}"


def _before(choices: Choices, project: int, now: datetime) -> str:
    """A text looks for something: then nothing is compared."""
    scope, wanted = choices.scope, choices.wanted
    if scope.bounds[0] is None or wanted.text:
        return ""
    previous = scope.previous
    counted = session_groups(
        project, replace(wanted, since=previous.since, until=previous.until), now, Asking()
    )
    if not counted.is_exact:
        return ""
    return previous_period_words(facets_of(counted.groups, choices.chosen), scope.before_words)


def _sentence(choices: Choices, found: Facets, *, is_exact: bool) -> str:
    chosen, scope = choices.chosen, choices.scope
    if choices.text and not found.all:
        return "No session or agent of that name."
    if not found.all and (chosen.contract or not scope.is_all):
        return "No session of that contract and time."
    if not found.all and chosen.environment:
        return f"No session in {chosen.environment} yet."
    if not found.all and (chosen.agent or chosen.limit or chosen.has):
        return "No session has all of that."
    told = sentences.sessions_sentence(
        total=found.all,
        running=found.states["running"],
        waiting=found.states["waiting"],
        stopped=found.states["stopped"],
        premature=found.premature,
    )
    return told if is_exact else f"More than {EXACT_UP_TO:,} sessions. Of the newest: {told}"

"""Calls behind a backtest figure: those with one change, or of one rule, tool, agent or session."""

from typing import Any, Final

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.contracts.queries.contracts import bundle_named
from governance.core.errors import NotFound
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.backtesting.queries import backtest_numbered
from outcomes.backtesting.tables import CHANGED_CALLS
from outcomes.backtesting.words import NAMES, backtest_context, changed_sentence
from outcomes.models import Backtest, ChangedCall
from outcomes.recorded_calls import domain as keeping
from outcomes.recorded_calls.commands import WITH_CALLS
from outcomes.recorded_calls.domain import DRIFT
from outcomes.recorded_calls.queries import (
    CHANGES,
    PLACE,
    ChangedFilter,
    changed_calls,
    number_of_changed,
    number_stored,
)
from outcomes.stored.queries import arguments_line, read_calls
from outcomes.web.paging import every, links_of, start_of, with_query

SHOWN: Final = 50
IN_A_FILE: Final = 500  # rows per query
_NARROWS: Final = ("rule", "tool", "agent", "session", "environment")


@require_safe
@member_page()
def calls_of_backtest(request: MemberRequest, backtest_id: int) -> HttpResponseBase:
    backtest = backtest_numbered(request.project.pk, backtest_id)
    if backtest is None:
        raise NotFound("Backtest not found.")
    filters = _filters(request)
    file = table_file(
        request,
        request.project,
        "calls-of-backtest",
        CHANGED_CALLS,
        lambda: every(
            lambda before: changed_calls(backtest, filters, size=IN_A_FILE, before=before), PLACE
        ),
    )
    if file is not None:
        return file
    start = start_of(request.GET, PLACE)
    page = changed_calls(backtest, filters, size=SHOWN, before=start.before, after=start.after)
    listed = number_stored(backtest, filters)
    number = number_of_changed(backtest, filters)
    here = reverse("outcomes:calls_of_backtest", args=[request.project.slug, backtest.pk])
    narrowed = with_query(here, **{name: getattr(filters, name) for name in _NARROWS})
    context: dict[str, Any] = backtest_context(backtest) | {
        "page_title": f"Calls of a backtest of {backtest.bundle_name}",
        "bundle": bundle_named(request.project, backtest.bundle_name),
        "sentence": changed_sentence(listed if number is None else number, filters),
        "wanted": filters,
        "rows": _lines(page.rows),
        "number": number,
        "kept": listed,
        "is_whole": number is None or listed >= number,
        "changes": _choices(backtest, filters, narrowed),
        "all_at": here if filters.groups else "",
        "links": links_of(page, PLACE, with_query(narrowed, change=filters.change)),
        "first": keeping.FIRST,
        "of_group": keeping.OF_GROUP,
        "most": keeping.MOST,
        "with_calls": WITH_CALLS,
    }
    return render(request, "backtesting/calls_of_backtest.html", context)


def _filters(request: MemberRequest) -> ChangedFilter:
    query = request.GET
    change = query.get("change", "")
    return ChangedFilter(
        change=change if change in (*CHANGES, DRIFT) else "",
        **{name: query.get(name, "") for name in _NARROWS},
    )


def _choices(
    backtest: Backtest, filters: ChangedFilter, address: str
) -> list[tuple[str, str, int | None, bool]]:
    """Changes that have calls: label, URL, number of calls, and whether it is selected."""
    choices = []
    for change in ("", *CHANGES, DRIFT):
        of_it = ChangedFilter(change=change, **{name: getattr(filters, name) for name in _NARROWS})
        number = number_of_changed(backtest, of_it)
        if number or change in ("", filters.change):
            words = NAMES.get(change, "Drift") if change else "All"
            is_shown = change == filters.change
            choices.append((words, with_query(address, change=change), number, is_shown))
    return choices


def _lines(rows: list[ChangedCall]) -> list[dict[str, Any]]:
    calls = {each.row.pk: each for each in read_calls([row.call for row in rows])}
    return [
        {
            "change": row.change,
            "word": NAMES.get(row.change, "Drift"),
            "call_id": row.call.call_id,
            "environment": row.call.environment.name,
            "session_id": row.call.session.session_id if row.call.session else "",
            "tool_name": row.call.tool.name,
            "agent_id": row.call.agent.name,
            "at": row.at,
            "was": row.was,
            "was_rule": row.was_rule,
            "now": row.now,
            "rule": row.rule,
            "output": row.output,
            "arguments": arguments_line(calls.get(row.call_id)),
        }
        for row in rows
    ]

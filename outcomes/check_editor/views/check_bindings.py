"""Calls of the last 24 hours by binding and by check, for the pages of success checks."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from governance.checks.domain import LAST, Binding, lines_from_form
from governance.checks.queries.bindings import bindings_of
from governance.checks.queries.checks import missing_checks
from governance.checks.words import bindings_sentence
from governance.core.figures import counted
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.web.table_files import Tables, one_of_tables
from outcomes.check_editor.domain.quotas import Partly, SharedOut
from outcomes.check_editor.queries.classified_calls import calls_shared_out, two_calls_shared_out
from outcomes.check_editor.tables import CALLS_BY_CHECK, CALLS_BY_LINE, WITHOUT_CHECK
from outcomes.web.paging import shown_part

A_DAY = timedelta(hours=24)
SHOWN = 30  # tools without a check of their own
ROWS = 12  # bindings that a check's page shows, besides its own
MOST_ROWS = 40


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def bindings_preview(request: MemberRequest) -> HttpResponseBase:
    """Calls by binding: of the rows in a form, or of the saved bindings."""
    present = bindings_of(request.project)
    is_sent = request.method == "POST"
    lines = lines_from_form(request.POST.getlist) if is_sent else list(present.lines)
    shares = _calls_by_line(request, lines)
    uncovered = _uncovered(shares)
    are_saved = lines == list(present.lines)
    by_line = list(zip(lines, shares.lines, strict=True))
    tables: Tables = {
        "lines": (CALLS_BY_LINE, [*by_line, (Binding("*", "*", "*", LAST), shares.last)]),
        "uncovered-tools": (WITHOUT_CHECK, uncovered),
    }
    if (file := one_of_tables(request, request.project, tables)) is not None:
        return file
    context = {
        "page_title": "Calls by binding",
        "headline": bindings_sentence(lines, is_saved=are_saved),
        "may_bind": may(request.role, Action.WRITE_BINDING),
        "lines": by_line,
        "found": shares,
        "sentence": uncovered_sentence(shares),
        "uncovered": uncovered[:SHOWN],
        "more": max(0, len(uncovered) - SHOWN),
        "revision": request.POST.get("revision", present.revision),
    }
    return shown_part(
        request, "check_editor/_bindings_preview.html", "check_editor/check_part.html", context
    )


@require_safe
@member_page()
def bindings_of_check(request: MemberRequest) -> HttpResponse:
    """Card for a check's page and editor: bindings with their calls, always including the check's
    own, and a form to add one."""
    name, lines = request.GET.get("of", ""), list(bindings_of(request.project).lines)
    counts = _calls_by_line(request, lines)
    rows = [
        (place + 1, line, calls)
        for place, (line, calls) in enumerate(zip(lines, counts.lines, strict=True))
        if place < ROWS or line.check == name
    ]
    context = {
        "page_title": "Bindings",
        "sentence": f"Bindings of {name[:63]}",
        "name": name,
        "rows": rows[:MOST_ROWS],
        "more": len(lines) - len(rows[:MOST_ROWS]),
        "last": counts.last,
        "calls": counts.calls,
        "uncovered": uncovered_sentence(counts),
        "is_editor": "editor" in request.GET,
        "is_known": bool(name) and not missing_checks(request.project, {name}),
        "may_bind": may(request.role, Action.WRITE_BINDING),
    }
    return shown_part(
        request, "check_editor/_check_bindings.html", "check_editor/check_part.html", context
    )


@require_safe
@member_page()
def check_use(request: MemberRequest) -> HttpResponseBase:
    """Calls of the last 24 hours by check, and of the 24 hours before; each number is swapped into
    its row of the list."""
    lines, day = tuple(bindings_of(request.project).lines), timezone.now() - A_DAY
    before, shares = two_calls_shared_out(request.project.pk, lines, since=day - A_DAY, cut=day)
    used, was = used_by_check(lines, shares), used_by_check(lines, before)
    of = request.GET.get("of", "")
    rows = sorted(
        ((name, used[name], was[name]) for name in ([of] if of else used)),
        key=lambda row: (-row[1], row[0]),
    )
    context = {
        "page_title": "Calls by check",
        "rows": rows,
        "calls": shares.calls,
        "of": of,
    }
    file = one_of_tables(request, request.project, {"checks": (CALLS_BY_CHECK, rows)})
    return file or shown_part(
        request, "check_editor/_check_use.html", "check_editor/check_part.html", context
    )


def used_by_check(lines: Sequence[Binding], shares: SharedOut) -> Counter[str]:
    used = Counter({LAST: shares.last})
    for line, calls in zip(lines, shares.lines, strict=True):
        used[line.check] += calls
    return used


def uncovered_sentence(shares: SharedOut) -> str:
    """Headline on tools with the default check only, and on tools with it for some calls."""
    if not shares.calls:
        return "No calls in the last 24 hours"
    if not shares.uncovered and not shares.partly:
        return "A binding matches every call"
    share = _share(shares.uncovered_calls, shares)
    partly = _share(shares.partly_calls, shares)
    tools = counted(len(shares.partly), "tool")
    if not shares.uncovered:
        uses = "uses" if len(shares.partly) == 1 else "use"
        return f"{tools} {uses} the default check for some calls ({partly})"
    uses = "uses" if len(shares.uncovered) == 1 else "use"
    only = (
        f"{counted(len(shares.uncovered), 'tool')} {uses} the default check only ({share} of calls)"
    )
    return (
        f"{only}, {len(shares.partly):,} more for some calls ({partly})" if shares.partly else only
    )


def _share(calls: int, shares: SharedOut) -> str:
    share = 100 * calls / shares.calls
    return f"{f'{share:.0f}' if share >= 1 else '<1'} %"


def _uncovered(shares: SharedOut) -> list[Partly]:
    """Tools covered only by the last binding, then those partly covered by others."""
    wholly = [Partly(tool, calls, calls) for tool, calls in shares.uncovered]
    return [*wholly, *shares.partly]


def _calls_by_line(request: MemberRequest, lines: Sequence[Binding]) -> SharedOut:
    return calls_shared_out(request.project.pk, tuple(lines), timezone.now() - A_DAY)

"""What the pages of success checks show of calls: how many each binding, and each check, judges."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from governance.checks.domain.bindings import LAST, Binding, lines_from_form
from governance.checks.queries.bindings import bindings_of
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import Tables, one_of_tables
from outcomes.check_editor.domain.quotas import Partly, SharedOut
from outcomes.check_editor.queries.classified_calls import calls_shared_out, two_calls_shared_out
from outcomes.check_editor.tables import CALLS_BY_CHECK, CALLS_BY_LINE, WITHOUT_CHECK
from outcomes.web.parts import shown_part
from outcomes.web.sentences import counted

A_DAY = timedelta(hours=24)
SHOWN = 30  # tools without a check of their own


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def bindings_preview(request: MemberRequest) -> HttpResponseBase:
    """Of lines that somebody is writing, by which nothing is judged yet; or of those that stand."""
    present = bindings_of(request.project)
    is_sent = request.method == "POST"
    lines = lines_from_form(request.POST.getlist) if is_sent else list(present.lines)
    found = _found(request, lines)
    uncovered = _uncovered(found)
    by_line = list(zip(lines, found.lines, strict=True))
    tables: Tables = {
        "lines": (CALLS_BY_LINE, [*by_line, (Binding("*", "*", "*", LAST), found.last)]),
        "uncovered-tools": (WITHOUT_CHECK, uncovered),
    }
    if (file := one_of_tables(request, request.project, tables)) is not None:
        return file
    context = {
        "page_title": "What bindings would judge",
        "lines": by_line,
        "found": found,
        "sentence": uncovered_sentence(found),
        "uncovered": uncovered[:SHOWN],
        "more": max(0, len(uncovered) - SHOWN),
        "revision": request.POST.get("revision", present.revision),
        "are_saved": lines == list(present.lines),
    }
    return shown_part(
        request, "check_editor/_bindings_preview.html", "check_editor/check_part.html", context
    )


@require_safe
@member_page()
def check_use(request: MemberRequest) -> HttpResponseBase:
    """How many calls of a day each check judges, and of the day before, each number put into its
    own row."""
    lines, day = tuple(bindings_of(request.project).lines), timezone.now() - A_DAY
    before, found = two_calls_shared_out(request.project.pk, lines, since=day - A_DAY, cut=day)
    used, was = used_by_check(lines, found), used_by_check(lines, before)
    of = request.GET.get("of", "")
    rows = sorted(
        ((name, used[name], was[name]) for name in ([of] if of else used)),
        key=lambda row: (-row[1], row[0]),
    )
    context = {
        "page_title": "Calls by check",
        "rows": rows,
        "calls": found.calls,
        "of": of,
    }
    file = one_of_tables(request, request.project, {"checks": (CALLS_BY_CHECK, rows)})
    return file or shown_part(
        request, "check_editor/_check_use.html", "check_editor/check_part.html", context
    )


def used_by_check(lines: Sequence[Binding], found: SharedOut) -> Counter[str]:
    used = Counter({LAST: found.last})
    for line, calls in zip(lines, found.lines, strict=True):
        used[line.check] += calls
    return used


def uncovered_sentence(found: SharedOut) -> str:
    """No check of its own: 14 tools, 32 % of calls; for some calls: 2 tools, 5 %."""
    if not found.calls:
        return "No call ran in the last 24 hours."
    said = []
    if found.uncovered:
        said.append(
            f"{counted(len(found.uncovered), 'tool')}, {_share(found.uncovered_calls, found)}"
        )
    if found.partly:
        where = "for some calls: " if found.uncovered else ""
        said.append(
            f"{where}{counted(len(found.partly), 'tool')}, {_share(found.partly_calls, found)}"
        )
    if not said:
        return "Every tool that was called has a check of its own."
    whose = "its own" if found.uncovered else "its own for some calls"
    first, *more = said
    return "; ".join([f"No check of {whose}: {first} of calls", *more]) + "."


def _share(calls: int, found: SharedOut) -> str:
    share = 100 * calls / found.calls
    return f"{f'{share:.0f}' if share >= 1 else 'less than 1'} %"


def _uncovered(found: SharedOut) -> list[Partly]:
    """Those of which the last line takes all, then the others."""
    wholly = [Partly(tool, calls, calls) for tool, calls in found.uncovered]
    return [*wholly, *found.partly]


def _found(request: MemberRequest, lines: Sequence[Binding]) -> SharedOut:
    return calls_shared_out(request.project.pk, tuple(lines), timezone.now() - A_DAY)

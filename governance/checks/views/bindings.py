"""The bindings of checks: one form with all lines, kept whole; without script it is sent to the
server for every step, and nothing judges by it before it is saved."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from governance.checks.commands.bindings import BindingsMovedOn, bind
from governance.checks.domain.bindings import (
    LAST,
    MOST_LINES,
    Binding,
    hidden_by,
    lines_from_form,
    with_line,
)
from governance.checks.queries.bindings import Bindings, bindings_of
from governance.checks.queries.checks import check_names, ours
from governance.checks.tables import BINDINGS as COLUMNS
from governance.checks.views.tabs import BINDINGS, tabs_of_all
from governance.checks.words import bindings_sentence
from governance.core.actor import shown
from governance.core.errors import InvalidInput, Problem
from governance.core.numbers import whole_number
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may, refuse_unless
from governance.people.queries.projects import environments
from governance.web.table_files import table_file

_STEP = re.compile(r"(up|down|remove):(\d{1,3})")
MOST_BEGUN = 20  # lines that one link proposes
_AT = re.compile(r"bindings\[(\d+)\]\.(\w+)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the form, with what is wrong with it."""

    number: int
    line: Binding
    errors: dict[str, str]
    hidden_by: int | None  # the number of the line that leaves nothing for this one


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def check_bindings(request: MemberRequest) -> HttpResponseBase:
    present = bindings_of(request.project)
    if request.method != "POST":
        rows = [*present.lines, Binding("*", "*", "*", LAST)]
        file = table_file(request, request.project, "bindings", COLUMNS, lambda: rows)
        if file is not None:
            return file
        lines = _with_begun(request, present.lines)
        return _page(request, lines, present, is_changed=len(lines) > len(present.lines))
    refuse_unless(request.role, Action.WRITE_BINDING)
    lines = lines_from_form(request.POST.getlist)
    act = request.POST.get("act", "")
    if act != "save":
        if tool := request.POST.get("bind", ""):
            lines = with_line(lines, Binding("*", "*", tool, ""))
        return _page(request, _stepped(lines, act), present, is_changed=True)
    lines = [line for line in lines if line.tool or line.check]  # a line begun and left alone
    try:
        revision = whole_number(request.POST.get("revision"))
        changed = bind(request.project, lines, revision=revision, by=request.actor)
    except InvalidInput as refused:
        return _page(request, lines, present, refused=refused, is_changed=True, status=422)
    except BindingsMovedOn as moved:
        return _page(request, lines, moved.present, moved=True, is_changed=True, status=409)
    told = (
        "Saved: calls are judged so from now on. Those recorded before keep their verdicts until"
        " they are reclassified."
    )
    same = changed.revision == present.revision
    messages.success(request, "Nothing changed." if same else told)
    return redirect("governance:check_bindings", request.project.slug)


def _with_begun(request: MemberRequest, present: Sequence[Binding]) -> list[Binding]:
    """With lines for the tools that another page leads here with; they are not saved yet."""
    check, lines = request.GET.get("check", ""), list(present)
    tools = [tool for tool in request.GET.getlist("tool") if tool]
    if not may(request.role, Action.WRITE_BINDING) or (not check and not tools):
        return lines
    for tool in tools[:MOST_BEGUN] or ["*"]:
        lines = with_line(lines, Binding("*", "*", tool, check))
    return lines


def _stepped(lines: list[Binding], act: str) -> list[Binding]:
    if act == "add":
        return [*lines, Binding("*", "*", "", "")]
    step = _STEP.fullmatch(act)
    if step is None or not 1 <= (place := int(step[2])) <= len(lines):
        return lines
    line = lines.pop(place - 1)
    if step[1] != "remove":
        lines.insert(max(0, place - 2) if step[1] == "up" else place, line)
    return lines


def _page(
    request: MemberRequest,
    lines: Sequence[Binding],
    present: Bindings,
    *,
    refused: InvalidInput | None = None,
    moved: bool = False,
    is_changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    may_bind = may(request.role, Action.WRITE_BINDING)
    names = check_names(request.project)
    brought = {each.name: each.description for each in ours()}
    problems = refused.errors if refused else ()
    context: dict[str, Any] = {
        "page_title": "Bindings",
        "tabs": tabs_of_all(request, BINDINGS),
        "sentence": bindings_sentence(present.lines),
        "lines": _lines(lines, problems),
        "present": present,
        "changed_by": shown(present.changed_by),
        "may_bind": may_bind,
        "names": [(name, brought.get(name, "of this project")) for name in names],
        "environments": environments(request.project),
        "blank": Line(0, Binding("*", "*", "", ""), {}, None),
        "is_changed": is_changed,
        "moved": moved,
        "refused": [each.message for each in problems if not _AT.fullmatch(each.path)]
        or ([str(refused)] if refused and not problems else []),
        "is_full": len(lines) >= MOST_LINES,
    }
    return render(request, "checks/bindings.html", context, status=status)


def _lines(lines: Sequence[Binding], problems: Sequence[Problem]) -> list[Line]:
    errors: dict[int, dict[str, str]] = {}
    for problem in problems:
        if at := _AT.fullmatch(problem.path):
            errors.setdefault(int(at[1]), {})[at[2]] = problem.message
    found = []
    for place, line in enumerate(lines):
        before = hidden_by(lines, place) if line.tool else None
        hidden = None if before is None else before + 1
        found.append(Line(place + 1, line, errors.get(place, {}), hidden))
    return found

"""Bindings page: one form with all rows. Without JavaScript each step is a request, and nothing
applies until it is saved."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from governance.checks.commands.bindings import BindingsMovedOn, bind
from governance.checks.domain import (
    LAST,
    MOST_LINES,
    Binding,
    all_fitting,
    changed_lines,
    hidden_by,
    lines_from_form,
    with_line,
)
from governance.checks.queries.bindings import Bindings, bindings_of
from governance.checks.queries.checks import check_names, ours
from governance.checks.tables import BINDINGS as COLUMNS
from governance.checks.views.tabs import BINDINGS, tabs_of_all
from governance.checks.words import applying_words, bindings_sentence
from governance.core.actor import shown
from governance.core.errors import InvalidInput, Problem
from governance.core.numbers import parse_number
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may, refuse_unless
from governance.people.queries.projects import environments
from governance.web.exports import offer_part
from governance.web.table_files import table_file

_STEP = re.compile(r"(up|down|remove):(\d{1,3})")
MOST_BEGUN = 50  # rows that one action adds at most
MOST_CHANGED = 20  # tools in the URL after saving; above that, ANY_TOOL
ANY_TOOL = [("changed", "*")]
_AT = re.compile(r"bindings\[(\d+)\]\.(\w+)")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the form, with its errors."""

    number: int
    line: Binding
    errors: dict[str, str]
    hidden_by: int | None  # number of an earlier row that matches all its calls


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def check_bindings(request: MemberRequest) -> HttpResponseBase:
    present = bindings_of(request.project)
    if request.method != "POST":
        rows = [*present.lines, Binding("*", "*", "*", LAST)]
        file = table_file(request, request.project, "bindings", COLUMNS, lambda: rows)
        if file is not None:
            return file
        offer_part(request, "calls-by-binding", "outcomes:bindings_preview", table="lines")
        offer_part(
            request,
            "tools-without-a-check",
            "outcomes:bindings_preview",
            table="uncovered-tools",
        )
        lines = _with_begun(request, present.lines)
        return _page(request, lines, present)
    refuse_unless(request.role, Action.WRITE_BINDING)
    lines = lines_from_form(request.POST.getlist)
    act = request.POST.get("act", "")
    if act == "bind":
        for tool in request.POST.getlist("bind")[:MOST_BEGUN]:
            lines = with_line(lines, Binding("*", "*", tool, request.POST.get("bind_check", "")))
    if act != "save":
        return _page(request, _stepped(lines, act), present)
    lines = [line for line in lines if line.tool or line.check]  # rows added but not filled in
    try:
        revision = parse_number(request.POST.get("revision"))
        changed = bind(request.project, lines, revision=revision, by=request.actor)
    except InvalidInput as refused:
        return _page(request, lines, present, refused=refused, status=422)
    except BindingsMovedOn as moved:
        return _page(request, lines, moved.present, moved=True, status=409)
    address = reverse("governance:check_bindings", args=[request.project.slug])
    if changed.revision == present.revision:
        messages.success(request, "No changes to save.")
        return redirect(address)
    messages.success(request, "Saved. The bindings apply to new calls.")
    tools = {line.tool for line in changed_lines(present.lines, changed.lines)}
    query = [("changed", tool) for tool in sorted(tools)]
    return redirect(f"{address}?{urlencode(query if len(query) <= MOST_CHANGED else ANY_TOOL)}")


@require_POST
@member_page()
def applying_check(request: MemberRequest) -> HttpResponse:
    """The check that applies to one call, by the rows of the form, saved or not."""
    context = {"applying": _applying(request, lines_from_form(request.POST.getlist))}
    return render(request, "checks/_applying.html", context)


def _applying(request: MemberRequest, lines: Sequence[Binding]) -> str:
    names = ("try_environment", "try_agent", "try_tool")
    environment, agent, tool = (request.POST.get(name, "").strip() for name in names)
    if not tool:
        return "Enter a tool."
    return applying_words(lines, all_fitting(lines, environment, agent, tool))


def _with_begun(request: MemberRequest, present: Sequence[Binding]) -> list[Binding]:
    """Bindings plus unsaved rows for the tools in the address."""
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
    status: int = 200,
) -> HttpResponse:
    may_bind = may(request.role, Action.WRITE_BINDING)
    names = check_names(request.project)
    brought = {each.name: each.description for each in ours()}
    problems = refused.errors if refused else ()
    is_changed = tuple(lines) != present.lines
    context: dict[str, Any] = {
        "page_title": "Bindings",
        "tabs": tabs_of_all(request, BINDINGS),
        "sentence": bindings_sentence(lines, is_saved=not is_changed),
        "lines": _lines(lines, problems),
        "present": present,
        "changed_by": shown(present.changed_by),
        "may_bind": may_bind,
        "names": [(name, brought.get(name, "your own")) for name in names],
        "environments": environments(request.project),
        "blank": Line(0, Binding("*", "*", "", ""), {}, None),
        "is_changed": is_changed,
        "moved": moved,
        "refused": [each.message for each in problems if not _AT.fullmatch(each.path)]
        or ([str(refused)] if refused and not problems else []),
        "is_full": len(lines) >= MOST_LINES,
        "changed_tools": request.GET.getlist("changed")[:MOST_CHANGED],
        "applying": _applying(request, lines) if request.POST.get("act") == "try" else "",
        "tried": {name: request.POST.get(f"try_{name}", "") for name in ("tool", "agent")},
        "tried_environment": request.POST.get("try_environment", ""),
    }
    return render(request, "checks/bindings.html", context, status=status)


def _lines(lines: Sequence[Binding], problems: Sequence[Problem]) -> list[Line]:
    errors: dict[int, dict[str, str]] = {}
    for problem in problems:
        if at := _AT.fullmatch(problem.path):
            errors.setdefault(int(at[1]), {})[at[2]] = problem.message
    shown = []
    for place, line in enumerate(lines):
        before = hidden_by(lines, place) if line.tool else None
        hidden = None if before is None else before + 1
        shown.append(Line(place + 1, line, errors.get(place, {}), hidden))
    return shown

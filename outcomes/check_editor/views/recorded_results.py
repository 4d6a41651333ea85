"""Recorded outputs next to the check editor, with the verdicts of the draft."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from governance.checks.domain import Binding
from governance.checks.queries import checks
from governance.checks.queries.analysis import read_check_text
from governance.checks.queries.checks import Judges, own_version
from governance.checks.queries.includes import names_of_newer
from governance.core.errors import InvalidInput
from governance.core.numbers import ID_DIGITS, parse_number
from governance.matching.globs import glob_matches
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.people.queries.projects import environments_by_id
from governance.texts.notation import as_written
from outcomes.artifacts.views.small_outputs import OutputsAtHand
from outcomes.check_editor.domain.selectors import selectors_in
from outcomes.check_editor.queries.newest_results import (
    MOST_TOOLS,
    known_tools,
    most_called,
    newest_results,
)
from outcomes.check_editor.queries.trial import Read, read_results, tried_on
from outcomes.check_editor.views.result_in_text import VERDICTS, inserted_into
from outcomes.check_editor.words import (
    LINE,
    impact_words,
    indented,
    reason_of,
    shown,
    tried_sentence,
    unread_sentences,
    why,
)
from outcomes.suggestions.domain.trials import ResultGroup, Tried, by_shape, shapes_in

ROWS: Final = 60  # per list; further rows are only counted
CHOICES: Final = 500  # tool names to choose from
ORDERS: Final = {"shape": "By pattern", "newest": "Newest"}
SHOWS: Final = {"": "All", "failures": "Failures", "changed": "Changed"}


@dataclass(frozen=True, slots=True)
class EditorForm:
    text: str
    check: str  # name; empty for a check that does not exist yet
    draft: int  # of a new check; 0 if none
    tools: str
    order: str
    show: str
    newer: tuple[str, ...] = ()  # included checks to update to a newer version


@require_POST
@member_page(Action.WRITE_CHECK)
def recorded_results(request: MemberRequest) -> HttpResponse:
    return _page(request, _form_of(request))


@require_POST
@member_page(Action.WRITE_CHECK)
def take_result(request: MemberRequest) -> HttpResponse:
    """Draft with a recorded result inserted, as an example or as the skeleton of a rule."""
    form = _form_of(request)
    kind, _, call = request.POST.get("take", "").partition(":")
    is_script = request.headers.get("HX-Request") == "true"
    try:
        inserted = inserted_into(form.text, kind, request.project.pk, call, form.newer)
    except InvalidInput as refused:
        detail = str(refused.errors[0]) if refused.errors else str(refused)
        if is_script:
            return JsonResponse({"detail": detail}, status=422)
        return _page(request, form, refused=detail, status=422)
    if is_script:
        return JsonResponse({"text": inserted.text, "line": inserted.line})
    with_it = replace(form, text=inserted.text)
    return _page(request, with_it, line=inserted.line)


def _page(
    request: MemberRequest, form: EditorForm, *, refused: str = "", line: int = 0, status: int = 200
) -> HttpResponse:
    context = _tried(request, form)
    if request.headers.get("HX-Request") == "true":
        # Render without the request, so that no keystroke loads the data of the page layout.
        alone = context | {"project": request.project}
        return HttpResponse(render_to_string("check_editor/_recorded.html", alone))
    context |= {
        "page_title": "Recorded outputs",
        "editor_at": _editor(request, form),
        "seen": request.POST.get("seen", ""),
        "base": request.POST.get("base", ""),
        "message": request.POST.get("message", ""),
        "refused": refused,
        "line": line,
    }
    return render(request, "check_editor/recorded_results.html", context, status=status)


def _tried(request: MemberRequest, form: EditorForm) -> dict[str, Any]:
    started, project = perf_counter(), request.project.pk
    read_text, _ = read_check_text(project, form.text, form.newer)
    environments = environments_by_id(project)
    known = known_tools(project)
    judges = checks.judges(project)
    names = _tools_matching(form, known)
    if names is None:
        check = form.check or read_text.name
        named = [rule["tool"] for rule in read_text.compiled["rules"]] if read_text.compiled else []
        names = _default_tools(project, check, judges, known, named)
    read = _results(project, [known[name] for name in names[:MOST_TOOLS]], environments)
    newest = own_version(request.project, form.check, without=["document"])
    tried = tried_on(
        read.results,
        read_text.compiled,
        newest=newest.compiled if newest else None,
        judges=judges,
    )
    shown_of = [each for each in tried if _is_shown(each, form.show)]
    lines, more = _lines(shown_of, form.order)
    counts = {
        "": len(tried),
        "failures": sum(each.is_failure for each in tried),
        "changed": sum(each.is_changed for each in tried),
    }
    return {
        "asked": form,
        "names": names[:MOST_TOOLS],
        "more_names": max(0, len(names) - MOST_TOOLS),
        "known": list(known)[:CHOICES],
        "sentence": tried_sentence(tried, len(read.results)),
        "impact": impact_words(tried, len(read.results)),
        "unread": unread_sentences(read.unread),
        "number": len(tried),
        "orders": [(name, words, name == form.order) for name, words in ORDERS.items()],
        "shapes": shapes_in(tried),
        "shows": [(name, words, counts[name], name == form.show) for name, words in SHOWS.items()],
        "lines": lines,
        "verdicts": VERDICTS,
        "more_lines": more,
        "newest": newest,
        "has_others": any(each.bound_check != form.check for each in tried),
        "several": len(names) > 1,
        "selectors": "\n".join(selectors_in(each.output for each in read.results)),
        "took": 1_000 * (perf_counter() - started),
    }


def _results(project: int, tools: list[int], environments: dict[int, str]) -> Read:
    rows = newest_results(tools)
    return read_results(rows, environments, OutputsAtHand(project, rows).read)


def _tools_matching(form: EditorForm, known: dict[str, int]) -> list[str] | None:
    """Tools that match the form's globs, or None if it has no globs."""
    globs = [glob.strip() for glob in form.tools.split(",") if glob.strip()]
    if not globs:
        return None
    return [name for name in known if any(glob_matches(glob, name) for glob in globs)]


def _default_tools(
    project_id: int,
    check: str,
    judges: Judges,
    known: dict[str, int],
    named: Iterable[str],
) -> list[str]:
    """Tools bound to this check, else those that its rules name, else the most called one."""
    if bound := [name for name in known if _may_judge(check, judges.lines, name)]:
        return bound
    globs = set(named) - {"*"}
    if meant := [name for name in known if any(glob_matches(glob, name) for glob in globs)]:
        return meant
    most = most_called(project_id, known, timezone.now())
    return [most] if most else list(known)[:1]


def _may_judge(check: str, lines: tuple[Binding, ...], tool: str) -> bool:
    """Whether some call of this tool may be bound to the check, in any environment by any agent."""
    for line in lines:
        if not glob_matches(line.tool, tool):
            continue
        if line.check == check:
            return True
        if line.environment == line.agent == "*":
            return False
    return False


def _is_shown(tried: Tried, show: str) -> bool:
    return (
        show == ""
        or (show == "failures" and tried.is_failure)
        or (show == "changed" and tried.is_changed)
    )


def _lines(tried: list[Tried], order: str) -> tuple[list[dict[str, Any]], int]:
    """Rows of the list, and how many more there are."""
    is_by_shape = order == "shape"
    groups = by_shape(tried) if is_by_shape else [ResultGroup((each,)) for each in tried]
    lines = [_line(group, is_by_shape=is_by_shape) for group in groups[:ROWS]]
    return lines, max(0, len(groups) - ROWS)


def _line(group: ResultGroup, *, is_by_shape: bool) -> dict[str, Any]:
    tried = group.newest
    return {
        "tried": tried,
        "words": tried.shape.text if is_by_shape else shown(tried.result.output, LINE),
        "number": group.number,
        "is_bound_equally": group.is_bound_equally,
        "why": why(tried.explanation, tried.result.output),
        "reason": reason_of(tried.explanation, tried.result.output),
        "output": indented(tried.result.output),
        # Expanded rows stay open while the text changes, so the key excludes verdicts.
        "key": f"{tried.shape.digest} {tried.result.tool}" if is_by_shape else tried.result.call,
    }


def _form_of(request: MemberRequest) -> EditorForm:
    sent = request.POST
    name, _, value = sent.get("pick", "").partition(":")  # the button that was clicked
    order = value if name == "order" else sent.get("order", "")
    show = value if name == "show" else sent.get("show", "")
    return EditorForm(
        text=as_written(sent.get("text", "")),
        check=sent.get("of", ""),
        draft=parse_number(sent.get("draft"), ID_DIGITS) or 0,
        tools=sent.get("tools", "").replace("\0", "")[:2_000],
        order=order if order in ORDERS else "shape",
        show=show if show in SHOWS else "",
        newer=names_of_newer(sent),
    )


def _editor(request: MemberRequest, form: EditorForm) -> str:
    slug = request.project.slug
    if form.check:
        return reverse("governance:edit_check_draft", args=[slug, form.check])
    if form.draft:
        return reverse("governance:edit_new_check_draft", args=[slug, form.draft])
    return reverse("governance:new_check", args=[slug])  # accepts a submitted text

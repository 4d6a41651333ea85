"""Suggestions: the list, and the steps of each from a draft to reclassified calls."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from governance.checks.authoring.suggested_rules import rule_text
from governance.checks.authoring.words import CHECK_WORDS
from governance.checks.commands.bindings import bind
from governance.checks.commands.drafts import discard_check_draft, save_check_draft
from governance.checks.commands.known_rules import RuleIsThere, draft_known_rule
from governance.checks.domain import with_line
from governance.checks.queries.bindings import bindings_of
from governance.core.actor import shown
from governance.core.errors import GovernanceError, NotFound
from governance.people.auth import MemberRequest, member_page, navigation_of
from governance.people.auth.access import console_address
from governance.people.policies import Action, may, refuse_unless
from governance.people.queries.projects import environments
from governance.texts.yaml_marks import marked_lines
from governance.web.table_files import Tables, one_of_tables, table_file
from outcomes.jobs import doorbell
from outcomes.models import Suggestion, Tool
from outcomes.reclassification.commands.jobs import ring_for_parts, start_reclassification
from outcomes.recorded_calls.selection import CallCriteria
from outcomes.suggestions.commands import suggestions as commands_suggestions
from outcomes.suggestions.commands.scans import request_scan
from outcomes.suggestions.commands.suggestions import ask_for_effect
from outcomes.suggestions.domain.flow import Step
from outcomes.suggestions.queries import (
    Flow,
    dismissed_suggestions,
    flow_of,
    number_of_open_suggestions,
    open_suggestions,
    outputs_in,
    row_of,
    sample_output,
    scan_of,
    suggestion_for,
    suggestions_for,
    tool_named,
    tool_numbered,
)
from outcomes.suggestions.tables import DISMISSED, SAMPLES_OF_SUGGESTION, SUGGESTIONS
from outcomes.suggestions.words import (
    doubt_words,
    headline,
    outputs_words,
    rule_words,
    seen_words,
    steps_of,
    title_words,
    values_words,
    what_words,
)
from outcomes.web.scope import scope_of

PAGE: Final = "outcomes:suggestions"
LINES: Final = 40  # shown of an output
BACK: Final = {"start": "first_hour:start"}  # pages that embed the steps, which redirect to them


@require_safe
@member_page()
def suggestions(request: MemberRequest) -> HttpResponseBase:
    project = request.project.pk
    scope = scope_of(request, by_agent=False)
    file = "table" not in request.GET and table_file(
        request, request.project, "suggestions", SUGGESTIONS, lambda: open_suggestions(project)
    )
    if file:
        return file
    rows, scan = open_suggestions(project), scan_of(project)
    dismissed = dismissed_suggestions(project)
    tables: Tables = {"dismissed": (DISMISSED, dismissed)}
    if (file := one_of_tables(request, request.project, tables)) is not None:
        return file
    outputs = outputs_in(project, scope)
    total = number_of_open_suggestions(project)
    context = {
        "page_title": "Suggestions",
        "sentence": headline(
            rows,
            total,
            outputs,
            scope.in_words,
            is_scanned=scan is not None and scan.looked_at is not None,
        ),
        "outputs": outputs,
        "outputs_words": outputs_words(outputs, scope.in_words),
        "suggestions": [(each, what_words(each)) for each in rows],
        "total": total,
        "shown": len(rows),
        "dismissed": [(each, what_words(each), shown(each.dismissed_by)) for each in dismissed],
        "scan": scan,
        "is_scanning": scan is not None and not scan.has_ended,
        "console_url": console_address(request),
        "may_write": may(request.role, Action.WRITE_CHECK),
    }
    return render(request, "suggestions/suggestions.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def suggestion(
    request: MemberRequest, tool_id: int, built_in: str, rule_id: str
) -> HttpResponseBase:
    """Page of one suggestion with its four steps. Each step is a POST that redirects back here."""
    tool = tool_numbered(request.project.pk, tool_id)
    if tool is None:
        raise NotFound("Tool not found.")
    row = suggestion_for(tool, built_in, rule_id)
    places = list(navigation_of(request, request.project).waiting)
    flow = _flow(request, tool, built_in, rule_id, row, places)
    if request.method == "POST":
        refuse_unless(request.role, Action.WRITE_CHECK)
        return _stepped(request, flow)
    if flow.suggestion is None and not flow.is_begun:
        messages.info(request, "No output matches that suggestion now.")
        return redirect(PAGE, request.project.slug)
    samples = flow.suggestion.samples if flow.suggestion else []
    tables: Tables = {
        "samples": (SAMPLES_OF_SUGGESTION, [(flow.suggestion, each) for each in samples])
    }
    if (file := one_of_tables(request, request.project, tables)) is not None:
        return file
    context = _card(request, flow) | {
        "page_title": f"Suggestion for {tool.name}",
        "samples": [each | {"time": datetime.fromisoformat(each["at"])} for each in samples],
        "is_alone": True,
    }
    return render(request, "suggestions/suggestion.html", context)


@require_safe
@member_page()
def suggestion_part(request: MemberRequest) -> HttpResponse:
    """Card of one suggestion for another page: the one for `check` and `rule`, else the one with
    most outputs, of `tool` if given. Empty if there is none."""
    sent, project = request.GET, request.project.pk
    name, check, rule = (sent.get(key, "") for key in ("tool", "check", "rule"))
    tool = tool_named(project, name) if name else None
    if name and tool is None:
        return HttpResponse()
    if tool and rule:
        row = suggestion_for(tool, check, rule)
    else:
        rows = suggestions_for(tool) if tool else open_suggestions(project)
        row = rows[0] if rows else None
    if row is not None:
        tool, check, rule = row.tool, row.check_name, row.rule
    if tool is None or not rule:
        return HttpResponse()
    flow = _flow(request, tool, check, rule, row, environments(request.project))
    if flow.suggestion is None and not flow.is_begun:
        return HttpResponse()
    # Without context processors, which query data for the page frame.
    context = _card(request, flow) | {"project": request.project}
    context["csrf_token"] = get_token(request)
    return HttpResponse(render_to_string("suggestions/_suggestion.html", context))


@require_safe
@member_page()
def scan_progress(request: MemberRequest) -> HttpResponse:
    """Progress of a scan. Once it has ended, the page is reloaded."""
    scan = scan_of(request.project.pk)
    if scan is None or scan.has_ended:
        return HttpResponseClientRefresh()
    return render(request, "suggestions/_scanning.html", {"scan": scan})


@require_POST
@member_page(Action.WRITE_CHECK)
def scan_now(request: MemberRequest) -> HttpResponse:
    scan = request_scan(request.project.pk)
    doorbell.ring(doorbell.SCAN, scan.pk)
    started = "Scanning the newest outputs. This takes a few seconds."
    queued = "A scan is running. The next one is queued."
    messages.success(request, queued if scan.is_requested_again else started)
    return redirect(PAGE, request.project.slug)


@require_POST
@member_page(Action.WRITE_CHECK)
def dismiss_suggestion(request: MemberRequest, suggestion_id: int) -> HttpResponse:
    commands_suggestions.dismiss_suggestion(request.project.pk, suggestion_id, by=request.actor)
    messages.success(request, "Suggestion dismissed. You can restore it under Dismissed.")
    return redirect(PAGE, request.project.slug)


@require_POST
@member_page(Action.WRITE_CHECK)
def bring_back_suggestion(request: MemberRequest, suggestion_id: int) -> HttpResponse:
    restored = commands_suggestions.bring_back_suggestion(
        request.project.pk, suggestion_id, by=request.actor
    )
    words = "Suggestion restored." if restored.pk else "Restored, but no output matches it now."
    messages.success(request, words)
    return redirect(PAGE, request.project.slug)


def _flow(
    request: MemberRequest,
    tool: Tool,
    check: str,
    rule: str,
    row: Suggestion | None,
    places: list[str],
) -> Flow:
    return flow_of(
        request.project,
        request.user.pk,
        tool,
        check=check,
        rule=rule,
        suggestion=row,
        environments=places,
    )


def _card(request: MemberRequest, flow: Flow) -> dict[str, Any]:
    back = name if (name := request.GET.get("back", "")) in BACK else ""
    row = flow.suggestion
    sample = sample_output(row) if row else None
    return {
        "flow": flow,
        "suggestion": row,
        "title": title_words(row) if row else f"Rule `{flow.rule}` for `{flow.tool.name}`",
        "doubt": doubt_words(row) if row and row.results else "",
        "values": values_words(row) if row else "",
        "saw": seen_words(row) if row else "",
        "origin": rule_words(row_of(row)) if row else "",
        "rule_lines": marked_lines(rule_text(flow.check, flow.rule, flow.tool.name), CHECK_WORDS),
        "sample": sample,
        "sample_at": datetime.fromisoformat(row.samples[0]["at"]) if row and sample else None,
        "sample_lines": _marked(row, sample.value) if row and sample else [],
        "steps": steps_of(flow),
        "back": back,
        "part_query": urlencode(
            {"tool": flow.tool.name, "check": flow.check, "rule": flow.rule, "back": back}
        ),
        "is_computing": row is not None and row.effect is not None and not row.effect.has_ended,
        "may_write": may(request.role, Action.WRITE_CHECK),
    }


def _marked(row: Suggestion, value: object) -> list[tuple[str, bool]]:
    """Lines of an output. The first line with the matched value is marked."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    lines = text.split("\n")[:LINES]
    field = row.saw[0][0].rpartition(".")[2] if row.saw else ""
    start = f'"{field}": {row.saw[0][1]}' if field else ""
    marked = next((place for place, line in enumerate(lines) if start in line), -1)
    return [(line, bool(start) and place == marked) for place, line in enumerate(lines)]


def _stepped(request: MemberRequest, flow: Flow) -> HttpResponse:
    act = _ACTS.get(request.POST.get("act", ""))
    try:
        answer = act(request, flow) if act else None
    except GovernanceError as refused:
        messages.error(request, str(refused))
        answer = None
    back = BACK.get(request.POST.get("back", ""))
    if back is not None:
        if answer is not None:
            messages.success(request, "Reclassification started.")
        return redirect(reverse(back, args=[request.project.slug]) + "#suggestion")
    return answer or redirect(_address(request, flow))


def _draft(request: MemberRequest, flow: Flow) -> None:
    try:
        draft = draft_known_rule(
            request.project,
            check=flow.check,
            rule=flow.rule,
            tool=flow.tool.name,
            judge=flow.judge,
            by=request.actor,
        )
    except RuleIsThere:
        return
    if flow.suggestion is not None:
        effect = ask_for_effect(
            request.project.pk, flow.suggestion.pk, text=draft.text, by=request.actor
        )
        ring_for_parts(effect)


def _discard(request: MemberRequest, flow: Flow) -> None:
    if flow.place.draft is not None:
        discard_check_draft(flow.place.draft, seen=flow.place.draft.revision, by=request.actor)


def _save(request: MemberRequest, flow: Flow) -> None:
    if flow.place.draft is not None:
        message = f"Rule {flow.rule} for {flow.tool.name[:100]}, from a suggestion"
        save_check_draft(flow.place.draft, message=message, by=request.actor)


def _bind(request: MemberRequest, flow: Flow) -> None:
    if flow.place.saved is not None and not flow.is_bound:
        present = bindings_of(request.project)
        lines = with_line(present.lines, flow.own_line)
        bind(request.project, lines, revision=present.revision, by=request.actor)


def _unbind(request: MemberRequest, flow: Flow) -> None:
    present = bindings_of(request.project)
    lines = [line for line in present.lines if line != flow.own_line]
    bind(request.project, lines, revision=present.revision, by=request.actor)


def _reclassify(request: MemberRequest, flow: Flow) -> HttpResponse | None:
    if not flow.is_bound:
        return None
    started = start_reclassification(
        request.project.pk, by=request.actor, criteria=CallCriteria(tools=[flow.tool.name])
    )
    ring_for_parts(started)
    # The bound check covers these outputs now, so a new scan removes the suggestion.
    doorbell.ring(doorbell.SCAN, request_scan(request.project.pk).pk)
    return redirect("outcomes:reclassification", request.project.slug, started.pk)


_ACTS: Final[dict[str, Callable[[MemberRequest, Flow], HttpResponse | None]]] = {
    Step.DRAFT: _draft,
    Step.SAVE: _save,
    Step.BIND: _bind,
    Step.RECLASSIFY: _reclassify,
    f"undo-{Step.DRAFT}": _discard,
    f"undo-{Step.BIND}": _unbind,
}


def _address(request: MemberRequest, flow: Flow) -> str:
    place = [request.project.slug, flow.tool.pk, flow.check, flow.rule]
    return reverse("outcomes:suggestion", args=place)

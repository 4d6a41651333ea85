"""Failures that nobody sees: results judged success that have the form of a known failure."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from governance.checks.queries.drafts import check_draft_numbered
from governance.core.actor import shown
from governance.core.errors import DocumentInvalid, InvalidInput, NotFound
from governance.core.numbers import ID_DIGITS, whole_number
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.web.table_files import Tables, one_of_tables, table_file
from outcomes.jobs import doorbell
from outcomes.models import Rejudging, Suggestion
from outcomes.suggestions.commands import suggestions as commands_suggestions
from outcomes.suggestions.commands.scans import ask_for_look
from outcomes.suggestions.commands.suggestions import ask_for_effect
from outcomes.suggestions.queries import (
    dismissed_suggestions,
    look_of,
    number_of_open_suggestions,
    open_suggestions,
    row_of,
)
from outcomes.suggestions.tables import DISMISSED, SAMPLES_OF_SUGGESTION, SUGGESTIONS
from outcomes.suggestions.words import effect_words, rule_words, seen_words, what_words

PAGE = "outcomes:suggestions"


@require_safe
@member_page()
def suggestions(request: MemberRequest) -> HttpResponseBase:
    project = request.project.pk
    asks_rows = "table" not in request.GET
    file = asks_rows and table_file(
        request, request.project, "suggestions", SUGGESTIONS, lambda: open_suggestions(project)
    )
    if file:
        return file
    found, look = open_suggestions(project), look_of(project)
    dismissed = dismissed_suggestions(project)
    tables: Tables = {
        "samples": (SAMPLES_OF_SUGGESTION, [(each, one) for each in found for one in each.samples]),
        "dismissed": (DISMISSED, dismissed),
    }
    if (file := one_of_tables(request, request.project, tables)) is not None:
        return file
    context = {
        "page_title": "Suggestions",
        "suggestions": [_told(each) for each in found],
        "shown": len(found),
        "total": number_of_open_suggestions(project),
        "tools": len({each.tool_id for each in found}),
        "dismissed": [(_told(each), shown(each.dismissed_by)) for each in dismissed],
        "look": look,
        "is_looking": look is not None and not look.has_ended,
        "may_write": may(request.role, Action.WRITE_CHECK),
    }
    return render(request, "suggestions/suggestions.html", context)


@require_safe
@member_page()
def look_standing(request: MemberRequest) -> HttpResponse:
    """What the page asks while a look runs: how far it is, or the page anew."""
    look = look_of(request.project.pk)
    if look is None or look.has_ended:
        return HttpResponseClientRefresh()
    return render(request, "suggestions/_looking.html", {"look": look})


@require_POST
@member_page(Action.WRITE_CHECK)
def look_now(request: MemberRequest) -> HttpResponse:
    look = ask_for_look(request.project.pk)
    doorbell.ring_for_jobs()
    told = (
        "A look is on its way: what came since it began is looked at right after it."
        if look.is_asked_again
        else "The newest results are looked at now: it takes some seconds."
    )
    messages.success(request, told)
    return _back(request)


@require_POST
@member_page(Action.WRITE_CHECK)
def dismiss_suggestion(request: MemberRequest, suggestion_id: int) -> HttpResponse:
    found = commands_suggestions.dismiss_suggestion(
        request.project.pk, suggestion_id, by=request.actor
    )
    messages.success(request, f"{found} is dismissed, and stays so. It stands at the end here.")
    return _back(request)


@require_POST
@member_page(Action.WRITE_CHECK)
def bring_back_suggestion(request: MemberRequest, suggestion_id: int) -> HttpResponse:
    found = commands_suggestions.bring_back_suggestion(
        request.project.pk, suggestion_id, by=request.actor
    )
    is_there = "stands here again" if found.pk else "is dismissed no more; no result is so now"
    messages.success(request, f"{found} {is_there}.")
    return _back(request)


@require_POST
@member_page(Action.WRITE_CHECK)
def suggestion_effect(request: MemberRequest, suggestion_id: int) -> HttpResponse:
    """Has what one's draft would change computed, and goes on to its editor meanwhile."""
    number = whole_number(request.GET.get("draft"), ID_DIGITS) or 0
    draft = check_draft_numbered(request.project, request.user.pk, number)
    if draft is None:
        messages.info(request, "That draft is saved or discarded already.")
        return _back(request)
    try:
        effect = ask_for_effect(
            request.project.pk, suggestion_id, text=draft.text, by=request.actor
        )
    except (DocumentInvalid, InvalidInput, NotFound) as refused:
        messages.warning(request, f"The rule is added. What it would change is open: {refused}")
    else:
        doorbell.ring_for_jobs()
        at = reverse("outcomes:check_backtest", args=[request.project.slug, effect.pk])
        told = 'The rule is added. <a href="{}">What it would change</a> is being computed.'
        messages.success(request, format_html(told, at))
    if draft.success_check is None:
        words = "A new check judges nothing before it is bound: once saved, its page offers that."
        messages.info(request, words)
    slug = request.project.slug
    if draft.success_check is None:
        return redirect("governance:edit_new_check_draft", slug, draft.pk)
    return redirect("governance:edit_check_draft", slug, draft.success_check.name)


def _back(request: MemberRequest) -> HttpResponse:
    return redirect(PAGE, request.project.slug)


def _told(suggestion: Suggestion) -> dict[str, Any]:
    effect = suggestion.effect if suggestion.dismissed_at is None else None
    return {
        "row": suggestion,
        "what": what_words(suggestion),
        "saw": seen_words(suggestion),
        "samples": [
            each | {"time": datetime.fromisoformat(each["at"])} for each in suggestion.samples
        ],
        "follows": rule_words(row_of(suggestion)),
        "effect": effect_words(effect) if isinstance(effect, Rejudging) else "",
    }

"""Masking of a project: its mode, its detectors with their counts, and a trial."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from governance.core.errors import InvalidInput
from governance.core.masks.detectors import SHOWN_DETECTORS
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may, refuse_unless
from governance.people.queries.masking import compiled_masking, detector_totals, masking_rules
from governance.web.forms import sent
from governance.web.table_files import one_of_tables
from outcomes.masking.commands.rules import changed_rules, set_masking
from outcomes.masking.domain.own_patterns import patterns_text
from outcomes.masking.forms import MaskingForm
from outcomes.masking.queries.detectors import lines
from outcomes.masking.queries.trial import Trial, try_masking
from outcomes.masking.tables import DETECTORS
from outcomes.masking.words import headline, trial_words

CAN_MANAGE = Action.MANAGE_SETTINGS


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def masking(request: MemberRequest) -> HttpResponseBase:
    if request.method != "POST" and (file := _file(request)) is not None:
        return file
    form = MaskingForm(sent(request), initial=_initial(request))
    if request.method == "POST":
        refuse_unless(request.actor, CAN_MANAGE)
        if form.is_valid() and _is_saved(request, form):
            messages.success(request, "Masking saved. It takes effect within 1 s.")
            return redirect("outcomes:masking", request.project.slug)
    return _page(request, form)


@require_POST
@never_cache
@member_page(CAN_MANAGE)
def try_rules(request: MemberRequest) -> HttpResponse:
    """Page that shows what these rules would mask in recorded calls, without saving them."""
    form = MaskingForm(request.POST)
    trial = _tried(request, form) if form.is_valid() else None
    return _page(request, form, trial)


def _file(request: MemberRequest) -> HttpResponseBase | None:
    rows = lines(masking_rules(request.project.pk), detector_totals(request.project.pk))
    return one_of_tables(request, request.project, {"detectors": (DETECTORS, rows)})


def _tried(request: MemberRequest, form: MaskingForm) -> Trial | None:
    given = form.cleaned_data
    try:
        rules = changed_rules(
            request.project, detectors=given["detectors"], patterns=given["patterns"]
        )
    except InvalidInput as error:
        form.take(error)
        return None
    return try_masking(request.project.pk, compiled_masking(rules, is_saved=False))


def _is_saved(request: MemberRequest, form: MaskingForm) -> bool:
    given = form.cleaned_data
    try:
        set_masking(
            request.project,
            before_storing=given["mode"] == "stored",
            detectors=given["detectors"],
            patterns=given["patterns"],
            by=request.actor,
        )
    except InvalidInput as error:
        form.take(error)
        return False
    return True


def _initial(request: MemberRequest) -> dict[str, Any]:
    rules = masking_rules(request.project.pk)
    if rules is None:
        return {"mode": "shown", "detectors": sorted(SHOWN_DETECTORS), "patterns": ""}
    return {
        "mode": "stored" if rules.before_storing else "shown",
        "detectors": rules.detectors,
        "patterns": patterns_text(rules.patterns),
    }


def _page(request: MemberRequest, form: MaskingForm, trial: Trial | None = None) -> HttpResponse:
    rules, totals = masking_rules(request.project.pk), detector_totals(request.project.pk)
    context = {
        "page_title": "Masking",
        "sentence": headline(rules, totals),
        "rules": rules,
        "lines": lines(rules, totals),
        "form": form if may(request.role, CAN_MANAGE) else None,
        "trial": trial,
        "trial_words": trial_words(trial) if trial is not None else "",
    }
    status = 422 if form.errors else 200
    return render(request, "masking/rules.html", context, status=status)

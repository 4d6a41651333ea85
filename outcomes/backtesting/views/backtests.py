"""Backtest pages: a contract's list and form, a result, and the editor's panel."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.contracts.commands.drafts import keep_draft
from governance.contracts.domain.limit_change import with_limit
from governance.contracts.queries.contracts import bundle_named, existing_bundle, versions_before
from governance.contracts.queries.drafts import text_in_editor, text_of
from governance.core.errors import DocumentInvalid, GovernanceError, NotFound
from governance.core.numbers import ID_DIGITS, parse_number
from governance.drafts.storage import DraftElsewhere
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may, may_somewhere, refuse_unless
from governance.web.table_files import one_of_tables, page_after_page
from outcomes.backtesting import commands as backtesting_commands
from outcomes.backtesting.commands import start_backtest
from outcomes.backtesting.queries import (
    SHOWN,
    backtest_numbered,
    backtested_text,
    backtests_of,
    newest_backtest_of,
    newest_backtest_of_bundle,
)
from outcomes.backtesting.tables import BACKTESTS, files_in, samples, tables
from outcomes.backtesting.views.form import JobForm, filled_in, form_context, form_in
from outcomes.backtesting.words import (
    backtest_context,
    limits_sentence,
    missing_sentences,
    not_replayed_sentences,
    sentence,
    undetermined_sentence,
    version_words,
)
from outcomes.jobs import doorbell
from outcomes.models import Backtest
from outcomes.web.paging import hash_of, with_query

VERSIONS: Final = 100
PANEL_SAMPLES: Final = 4


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def backtests(request: MemberRequest, bundle_name: str) -> HttpResponseBase:
    bundle = existing_bundle(request.project, bundle_name)
    versions = versions_before(bundle, None, VERSIONS)
    form, refused, limit_refused = form_in(request.GET), "", ""
    if request.method == "POST":
        refuse_unless(request.role, Action.WRITE_CONTRACT)
        form = form_in(request.POST)
        chosen = [each for each in versions if str(each.number) == form.version]
        try:
            if not chosen:
                raise NotFound("Choose a version.")
            if form.limit:
                text = with_limit(text_of(chosen[0]), form.limit, parse_number(form.value) or 0)
                started = _start(request, form, document=text, base=chosen[0].number)
            else:
                started = _start(request, form, version=chosen[0].pk)
            return redirect("outcomes:backtest", request.project.slug, started.pk)
        except GovernanceError as error:
            refused = str(error)
            if any(each.path in ("limit", "value") for each in error.errors):
                refused, limit_refused = "", refused
    listed = backtests_of(
        request.project.pk, bundle.name, parse_number(request.GET.get("before"), ID_DIGITS)
    )
    context = {
        "page_title": f"Backtests of {bundle.name}",
        "bundle": bundle,
        "versions": versions,
        "refused": refused,
        "limit_refused": limit_refused,
        "may_start": may(request.role, Action.WRITE_CONTRACT),
        "rows": [(each, sentence(each), version_words(each)) for each in listed[:SHOWN]],
        "older": listed[SHOWN - 1].pk if len(listed) > SHOWN else None,
        "is_paged": "before" in request.GET,
        **form_context(request.project.pk, form),
    }
    file = one_of_tables(
        request, request.project, {"backtests": (BACKTESTS, _every(request, bundle.name))}
    )
    status = 422 if refused or limit_refused else 200
    return file or render(request, "backtesting/backtests.html", context, status=status)


def _every(request: MemberRequest, bundle_name: str) -> Iterator[Backtest]:
    return page_after_page(
        lambda last: backtests_of(request.project.pk, bundle_name, last.pk if last else None)[
            :SHOWN
        ],
        SHOWN,
    )


@require_POST
@member_page(Action.WRITE_CONTRACT)
def backtest_text(request: MemberRequest) -> HttpResponse:
    """Backtest the unsaved text of an editor; with JavaScript, the result appears next to it."""
    text = request.POST.get("text", "").replace("\r\n", "\n")
    is_part = request.headers.get("HX-Request") == "true"
    try:
        started = _start(request, form_in(request.POST), document=text)
        if not is_part:
            return redirect("outcomes:backtest", request.project.slug, started.pk)
        return _panel(request, _existing(request, started.pk), is_of_text=True)
    except GovernanceError as error:
        problems = error.errors if isinstance(error, DocumentInvalid) else [str(error)]
        if is_part:
            return _panel(request, None, problems=[str(each) for each in problems])
        context = {"page_title": "No backtest", "problems": problems}
        return render(request, "backtesting/no_backtest.html", context, status=422)


@require_safe
@member_page()
def backtest(request: MemberRequest, backtest_id: int) -> HttpResponseBase:
    shown = _existing(request, backtest_id)
    context = _result(request, shown) | {
        "page_title": f"Backtest of {shown.bundle_name}",
        "samples": samples(shown),
        "again_url": _again_url(request, shown),
        "bundle": bundle_named(request.project, shown.bundle_name),
        "may_write": may(request.role, Action.WRITE_CONTRACT),
        "may_deploy": may_somewhere(request.actor, Action.DEPLOY),
    }
    file = one_of_tables(request, request.project, files_in(shown))
    return file or render(request, "backtesting/backtest.html", context)


@require_safe
@member_page()
def backtest_progress(request: MemberRequest, backtest_id: int) -> HttpResponse:
    """Live part of a result, which updates itself until the backtest has ended."""
    shown = _existing(request, backtest_id)
    context = _result(request, shown)
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    context |= {"alone": True, "samples": samples(shown)}
    return render(request, "backtesting/_backtest.html", context)


@require_POST
@member_page(Action.WRITE_CONTRACT)
def draft_of_backtest(request: MemberRequest, backtest_id: int) -> HttpResponse:
    """Open the backtested text of a changed version in the editor, as the user's draft."""
    shown = _existing(request, backtest_id)
    if shown.base is None:
        messages.info(request, "This backtest tried no other limit, so there is nothing to edit.")
        return redirect("outcomes:backtest", request.project.slug, backtest_id)
    bundle = existing_bundle(request.project, shown.bundle_name)
    text = backtested_text(shown)
    try:
        keep_draft(bundle, text=text, base=shown.base, seen="", by=request.actor)
    except DraftElsewhere:
        messages.warning(
            request,
            f"You already have a draft of `{bundle.name}`. Set `{shown.change}` in it,"
            " or discard it and try again.",
        )
    return redirect("governance:edit_draft", request.project.slug, bundle.name)


@require_POST
@member_page(Action.WRITE_CONTRACT)
def cancel_backtest(request: MemberRequest, backtest_id: int) -> HttpResponse:
    backtesting_commands.cancel_backtest(request.project.pk, backtest_id, by=request.actor)
    return redirect("outcomes:backtest", request.project.slug, backtest_id)


@require_safe
@member_page()
def backtest_panel(request: MemberRequest) -> HttpResponse:
    """Panel next to an editor: the result of its stored text, else the contract's newest
    result."""
    name, draft = request.GET.get("of", ""), request.GET.get("draft", "")
    shown = _backtest_of_text(request, name, draft)
    is_of_text = shown is not None
    if shown is None and name:
        shown = newest_backtest_of_bundle(request.project.pk, name)
        if shown is None and bundle_named(request.project, name) is None:
            raise NotFound("Contract not found.")
    return _panel(request, shown, name=name, draft=draft, is_of_text=is_of_text)


def _panel(
    request: MemberRequest,
    shown: Backtest | None,
    *,
    name: str = "",
    draft: str = "",
    is_of_text: bool = False,
    problems: Sequence[str] = (),
) -> HttpResponse:
    """Panel page; for a text that was just run, contract and draft come from the posted form."""
    name, draft = name or request.POST.get("bundle", ""), draft or request.POST.get("draft", "")
    context: dict[str, Any] = {
        "page_title": f"Backtest of {name}" if name else "Backtest",
        "name": name,
        "draft": draft,
        "is_of_text": is_of_text,
        "problems": problems,
        "may_start": may(request.role, Action.WRITE_CONTRACT),
        "alone": request.headers.get("HX-Request") == "true",
    }
    if context["may_start"] and context["alone"]:
        context |= form_context(request.project.pk, JobForm())
    if shown is not None:
        context |= _result(request, shown) | {"samples": samples(shown)[:PANEL_SAMPLES]}
    if context["alone"]:
        return render(request, "backtesting/_backtest_panel.html", context)
    return render(request, "backtesting/backtest_panel.html", context)


def _backtest_of_text(request: MemberRequest, name: str, draft: str) -> Backtest | None:
    """Newest backtest of exactly the text in the reader's editor, saved or not."""
    text = text_in_editor(request.project, request.user.pk, name, draft)
    if text is None:
        return None
    written = {text, text.replace("\r\n", "\n")}  # a text is run as the editor sends it
    hashes = (sha256(each.encode()).hexdigest() for each in written)
    return newest_backtest_of(request.project.pk, *hashes)


def _result(request: MemberRequest, shown: Backtest) -> dict[str, Any]:
    slug = request.project.slug
    tag = hash_of(shown.pk, shown.status, shown.passed, shown.newly_denied, shown.newly_allowed)
    limits = shown.result.get("session_limits", {})
    return {
        **backtest_context(shown),
        "limits_sentence": limits_sentence(limits),
        "missing": list(missing_sentences(shown.result.get("missing", {}))),
        "left_out": list(not_replayed_sentences(shown.result.get("not_replayed", {}))),
        "undetermined": undetermined_sentence(shown),
        "took": shown.finished_at - shown.started_at
        if shown.finished_at and shown.started_at
        else None,
        "cancelled": "Results so far are below. Run it again for a full result.",
        "may_cancel": may(request.role, Action.WRITE_CONTRACT) and not shown.has_ended,
        "tag": tag,
        "live_url": ""
        if shown.has_ended
        else with_query(reverse("outcomes:backtest_standing", args=[slug, shown.pk]), tag=tag),
        **tables(shown, slug),
    }


def _again_url(request: MemberRequest, shown: Backtest) -> str:
    """URL of the form, filled in to run this again; empty for an unsaved text, which no version
    list contains."""
    number = shown.version.number if shown.version else shown.base
    if number is None:
        return ""
    form = reverse("outcomes:backtests", args=[request.project.slug, shown.bundle_name])
    limit, _, value = shown.change.rpartition(": ")
    return with_query(filled_in(form, shown, version=number), limit=limit, value=value)


def _start(
    request: MemberRequest,
    form: JobForm,
    *,
    version: int | None = None,
    document: str | None = None,
    base: int | None = None,
) -> Backtest:
    started = start_backtest(
        request.project.pk,
        by=request.actor,
        version=version,
        document=document,
        base=base,
        change=form.change if base else "",
        criteria=form.criteria(),
        contract_only=not form.is_all,
    )
    doorbell.ring(doorbell.BACKTEST, started.pk)
    return started


def _existing(request: MemberRequest, number: int) -> Backtest:
    shown = backtest_numbered(request.project.pk, number)
    if shown is None:
        raise NotFound("Backtest not found.")
    return shown

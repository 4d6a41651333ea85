"""Pages of impact previews and reclassifications."""

from dataclasses import replace
from typing import Any, Final, NamedTuple

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.checks.queries.analysis import read_check_text
from governance.checks.queries.checks import (
    check_named,
    check_version_numbered,
    check_versions_before,
    judges,
    ours_named,
)
from governance.checks.queries.includes import names_of_newer
from governance.core.errors import DocumentInvalid, GovernanceError, NotFound
from governance.core.numbers import ID_DIGITS, parse_number
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may, refuse_unless
from governance.web.table_files import Tables, one_of_tables, page_after_page
from outcomes.backtesting.views.form import JobForm, filled_in, form_context, form_in
from outcomes.models import Rejudging
from outcomes.reclassification.commands import jobs
from outcomes.reclassification.commands.jobs import (
    ring_for_parts,
    start_check_backtest,
    start_reclassification,
)
from outcomes.reclassification.queries.jobs import (
    SHOWN,
    rejudging_numbered,
    rejudgings,
    result_so_far,
)
from outcomes.reclassification.queries.past_calls import PastCalls, past_calls, tools_named
from outcomes.reclassification.tables import (
    FLIPPED,
    FLIPS_BY_RULE,
    FLIPS_BY_TOOL,
    REJUDGINGS,
    SHIFTS,
)
from outcomes.reclassification.words import (
    FIGURES,
    SHOWN_ROWS,
    counts_in_list,
    rules,
    samples,
    scope_words,
    sentence,
    shifts,
    tools,
)
from outcomes.recorded_calls.selection import MOST_GLOBS
from outcomes.web.paging import hash_of, with_query

VERSIONS: Final = 100
BACKTEST, RECLASSIFICATION = Rejudging.Kind.CHECK_BACKTEST, Rejudging.Kind.RECLASSIFICATION
CANCELLED: Final[dict[str, str]] = {
    BACKTEST: "Partial results are below.",
    RECLASSIFICATION: "The calls counted below have new verdicts, the others keep theirs. Run it"
    " again for the rest.",
}


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def check_backtests(request: MemberRequest, check_name: str) -> HttpResponseBase:
    """Page with the form to preview the impact of a check version, and earlier results."""
    versions = _versions(request, check_name)
    if not versions:
        raise NotFound("Check not found.")
    form, refused = form_in(request.GET), ""
    if request.method == "POST":
        refuse_unless(request.role, Action.WRITE_CHECK)
        form = form_in(request.POST)
        chosen = [each for each in versions if str(each.number) == form.version]
        try:
            if not chosen:
                raise NotFound("Choose a version.")
            text = _text_of(request, check_name, chosen[0])
            return _started(request, form, text, version=chosen[0].number)
        except GovernanceError as error:
            refused = str(error)
    listed = rejudgings(
        request.project.pk,
        BACKTEST,
        check=check_name,
        before=parse_number(request.GET.get("before"), ID_DIGITS),
    )
    context = _list(request, listed, form) | {
        "page_title": f"Impact of {check_name}",
        "scope": request.POST.get("scope", request.GET.get("scope", "")),
        "name": check_name,
        "versions": versions,
        "refused": refused,
    }
    status = 422 if refused else 200
    file = one_of_tables(request, request.project, _table(request, BACKTEST, check_name))
    return file or render(request, "reclassification/check_backtests.html", context, status=status)


class Numbered(NamedTuple):
    number: int
    message: str


def _versions(request: MemberRequest, name: str) -> list[Numbered]:
    check = check_named(request.project, name)
    if check is not None:
        rows = check_versions_before(check, None, VERSIONS)
        return [Numbered(row.number, row.message) for row in rows]
    library = ours_named(name)
    return [Numbered(library.version, "built-in")] if library else []


def _text_of(request: MemberRequest, name: str, version: Numbered) -> bytes | str:
    check = check_named(request.project, name)
    if check is not None:
        row = check_version_numbered(check, version.number)
        return bytes(row.document) if row else b""
    library = ours_named(name)
    return library.text if library else ""


@require_POST
@member_page(Action.WRITE_CHECK)
def check_backtest_text(request: MemberRequest) -> HttpResponse:
    """Start an impact preview of a draft."""
    text = request.POST.get("text", "").replace("\r\n", "\n")
    form = form_in(request.POST)
    try:
        if not form.tools:
            form = replace(form, tools=_meant_tools(request, text))
        return _started(request, form, text)
    except GovernanceError as error:
        problems = error.errors if isinstance(error, DocumentInvalid) else [str(error)]
        context = {"page_title": "No impact preview", "problems": problems}
        return render(request, "backtesting/no_backtest.html", context, status=422)


def _meant_tools(request: MemberRequest, text: str) -> tuple[str, ...]:
    """Tools named by an unbound check's own rules. It will be bound to these, so its verdicts on
    other tools are meaningless."""
    read, _ = read_check_text(request.project.pk, text, names_of_newer(request.POST))
    if read.compiled is None or read.name in judges(request.project.pk).names:
        return ()
    own = list(dict.fromkeys(rule["tool"] for rule in read.compiled["rules"] if not rule["of"]))
    return () if "*" in own else tuple(own[:MOST_GLOBS])


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def reclassifications(request: MemberRequest) -> HttpResponseBase:
    form, refused = form_in(request.GET), ""
    if request.method == "POST":
        refuse_unless(request.role, Action.WRITE_CHECK)
        form = form_in(request.POST)
        try:
            started = start_reclassification(
                request.project.pk, by=request.actor, criteria=form.criteria()
            )
            ring_for_parts(started)
            return redirect("outcomes:reclassification", request.project.slug, started.pk)
        except GovernanceError as error:
            refused = str(error)
    listed = rejudgings(
        request.project.pk,
        RECLASSIFICATION,
        before=parse_number(request.GET.get("before"), ID_DIGITS),
    )
    context = _list(request, listed, form) | {
        "page_title": "Reclassify",
        "refused": refused,
        "past": _past_calls(request, form) if form.tools else None,
    }
    status = 422 if refused else 200
    file = one_of_tables(request, request.project, _table(request, RECLASSIFICATION))
    return file or render(
        request, "reclassification/reclassifications.html", context, status=status
    )


def _past_calls(request: MemberRequest, form: JobForm) -> PastCalls:
    project = request.project.pk
    return past_calls(project, tools_named(project, form.tools[:MOST_GLOBS]), judges(project))


@require_safe
@member_page()
def check_backtest(request: MemberRequest, check_backtest_id: int) -> HttpResponseBase:
    return _page(request, _existing(request, check_backtest_id, BACKTEST))


@require_safe
@member_page()
def reclassification(request: MemberRequest, reclassification_id: int) -> HttpResponseBase:
    return _page(request, _existing(request, reclassification_id, RECLASSIFICATION))


@require_safe
@member_page()
def rejudging_progress(request: MemberRequest, job_kind: str, rejudging_id: int) -> HttpResponse:
    """Live part of a job's page, polled until the job has ended."""
    context = _result(request, _existing(request, rejudging_id, job_kind))
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "reclassification/_rejudging.html", context | {"alone": True})


@require_POST
@member_page(Action.WRITE_CHECK)
def cancel_rejudging(request: MemberRequest, job_kind: str, rejudging_id: int) -> HttpResponse:
    ended = jobs.cancel_rejudging(request.project.pk, rejudging_id, job_kind, by=request.actor)
    return redirect(_url(request, ended))


def _page(request: MemberRequest, rejudging: Rejudging) -> HttpResponseBase:
    is_backtest = rejudging.kind == BACKTEST
    title = f"Impact of {rejudging.check_name}" if is_backtest else "Reclassified calls"
    context = _result(request, rejudging) | {
        "page_title": title,
        "check": check_named(request.project, rejudging.check_name) if is_backtest else None,
        "may_write": may(request.role, Action.WRITE_CHECK),
        "again_url": _again_url(request, rejudging),
    }
    file = one_of_tables(request, request.project, context["tables"])
    return file or render(request, "reclassification/rejudging.html", context)


def _result(request: MemberRequest, rejudging: Rejudging) -> dict[str, Any]:
    result = result_so_far(rejudging)
    flips = result["flips"]
    counts = flips["counts"]
    by_tool, by_rule = tools(flips["by_tool"]), rules(flips["by_rule"])
    slug = request.project.slug
    tag = hash_of(rejudging.pk, rejudging.status, rejudging.passed, counts)
    live = reverse("outcomes:rejudging_standing", args=[slug, rejudging.kind, rejudging.pk])
    started, ended = rejudging.started_at, rejudging.finished_at
    moved, examples = shifts(result["shifts"]), list(samples(flips["samples"]))
    tables: Tables = {
        "by-tool": (FLIPS_BY_TOOL, by_tool),
        "by-rule": (FLIPS_BY_RULE, by_rule),
        "limits": (SHIFTS, moved),
        "samples": (FLIPPED, examples),
    }
    return {
        "rejudging": rejudging,
        "is_backtest": rejudging.kind == BACKTEST,
        "sentence": sentence(rejudging, counts),
        "scope": scope_words(rejudging),
        "calls": sum(counts.values()),
        "judged": flips["judged"],
        "figures": [(name.value, words, counts[name]) for name, words in FIGURES.items()],
        "tools": by_tool[:SHOWN_ROWS],
        "more_tools": max(0, len(by_tool) - SHOWN_ROWS),
        "rules": by_rule[:SHOWN_ROWS],
        "more_rules": max(0, len(by_rule) - SHOWN_ROWS),
        "sessions": result["shifts"]["sessions"],
        "shifts": moved,
        "not_checked": sorted(flips["not_checked"].items(), key=lambda row: (-row[1], row[0])),
        "samples": examples,
        "took": ended - started if ended and started else None,
        "cancelled": CANCELLED[rejudging.kind],
        "may_cancel": may(request.role, Action.WRITE_CHECK) and not rejudging.has_ended,
        "tables": tables,
        "tag": tag,
        "live_url": "" if rejudging.has_ended else with_query(live, tag=tag),
    }


def _again_url(request: MemberRequest, rejudging: Rejudging) -> str:
    """URL of the form filled in to run this job again. Empty if the form can't express it: an
    unsaved draft, or filters set over the API."""
    slug = request.project.slug
    if rejudging.filters.keys() - ({"session"} if rejudging.kind == RECLASSIFICATION else set()):
        return ""
    if rejudging.kind == RECLASSIFICATION:
        return filled_in(
            reverse("outcomes:reclassifications", args=[slug]), rejudging, version=None
        )
    if rejudging.check_version is None:
        return ""
    form = reverse("outcomes:check_backtests", args=[slug, rejudging.check_name])
    return filled_in(form, rejudging, version=rejudging.check_version, scope=rejudging.scope)


def _list(request: MemberRequest, listed: list[Rejudging], form: JobForm) -> dict[str, Any]:
    return {
        **form_context(request.project.pk, form),
        "may_start": may(request.role, Action.WRITE_CHECK),
        "rows": [
            (each, scope_words(each), *counts_in_list(getattr(each, "counts", None)))
            for each in listed[:SHOWN]
        ],
        "older": listed[SHOWN - 1].pk if len(listed) > SHOWN else None,
        "is_paged": "before" in request.GET,
    }


def _table(request: MemberRequest, kind: str, check: str = "") -> Tables:
    rows = page_after_page(
        lambda last: rejudgings(
            request.project.pk, kind, check=check, before=last.pk if last else None
        )[:SHOWN],
        SHOWN,
    )
    return {"runs": (REJUDGINGS, rows)}


def _started(
    request: MemberRequest, form: JobForm, text: bytes | str, *, version: int | None = None
) -> HttpResponse:
    started = start_check_backtest(
        request.project.pk,
        by=request.actor,
        text=text,
        scope=request.POST.get("scope", ""),
        criteria=form.criteria(),
        version=version,
        newer=names_of_newer(request.POST) if version is None else (),
    )
    ring_for_parts(started)
    return redirect("outcomes:check_backtest", request.project.slug, started.pk)


def _existing(request: MemberRequest, number: int, kind: str) -> Rejudging:
    rejudging = rejudging_numbered(request.project.pk, number, kind)
    if rejudging is None:
        raise NotFound("No such result.")
    return rejudging


def _url(request: MemberRequest, rejudging: Rejudging) -> str:
    view = "check_backtest" if rejudging.kind == BACKTEST else "reclassification"
    return reverse(f"outcomes:{view}", args=[request.project.slug, rejudging.pk])

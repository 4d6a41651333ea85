"""List of artifacts, and its auto-refreshing part."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.core.figures import counted, size
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.artifacts.queries.list import (
    ORDERS,
    ArtifactCounts,
    ArtifactFilter,
    ArtifactRow,
    any_artifact,
    artifact_counts,
    artifacts_shown,
    with_their_calls,
)
from outcomes.artifacts.tables import ARTIFACTS
from outcomes.core.scope import NAMES, Scope
from outcomes.figures.comparison import both_periods
from outcomes.figures.queries.stats import figures, figures_over_time
from outcomes.record.outcome import ToolArtifactReference
from outcomes.stored.queries import CallFilter
from outcomes.web.paging import Place, hash_of, links_of, place_of, start_of, with_query
from outcomes.web.scope import scope_of

NO_ARTIFACTS = "No artifacts yet"
REFERENCE = ToolArtifactReference.kind
STATES = {"": "All", "stored": "Stored here", "elsewhere": "Kept by agents", "read": "Re-read"}
ORDER_WORDS = {
    "": "newest first",
    "size": "largest first",
    "references": "most references first",
    "reads": "read most often first",
}


@require_safe
@member_page()
def artifacts(request: MemberRequest) -> HttpResponseBase:
    if (file := _file(request)) is not None:
        return file
    context = _list(request) | {"page_title": "Artifacts"}
    context["kept_in_form"] = {
        name: value for name in (*NAMES, "show", "sort") if (value := request.GET.get(name, ""))
    }
    return render(request, "artifacts/artifacts.html", context)


@require_safe
@member_page()
def artifact_rows(request: MemberRequest) -> HttpResponse:
    context = _list(request)
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "artifacts/_artifact_rows.html", context | {"alone": True})


def _file(request: MemberRequest) -> HttpResponseBase | None:
    project, order = request.project.pk, _order(request)
    filters = _filters(request, scope_of(request, is_list=True))

    def rows() -> Iterator[ArtifactRow]:
        before: Place | None = None
        while True:
            page = artifacts_shown(project, filters, order, before=before)
            yield from with_their_calls(project, page.rows)
            if not page.older:
                return
            before = place_of(page.rows[-1], ORDERS[order])

    return table_file(request, request.project, "artifacts", ARTIFACTS, rows)


def _filters(request: MemberRequest, scope: Scope) -> ArtifactFilter:
    since, until = scope.bounds
    state = request.GET.get("show", "")
    return ArtifactFilter(
        environment=scope.environment,
        agent=scope.agent,
        text=request.GET.get("q", "").strip(),
        state=state if state in STATES else "",
        since=since,
        until=until,
    )


def _order(request: MemberRequest) -> str:
    order = request.GET.get("sort", "")
    return order if order in ORDERS else ""


def _list(request: MemberRequest) -> dict[str, Any]:
    project, scope, order = request.project, scope_of(request, is_list=True), _order(request)
    filters = _filters(request, scope)
    start = start_of(request.GET, ORDERS[order])
    page = artifacts_shown(project.pk, filters, order, before=start.before, after=start.after)
    rows = with_their_calls(project.pk, page.rows)
    counts = artifact_counts(project.pk, filters)
    references, before = _references(project.pk, scope)
    all_of_it = reverse("outcomes:artifacts", args=[project.slug])
    address = with_query(all_of_it, q=filters.text, **scope.query())
    here = with_query(address, show=filters.state, sort=order)
    is_new = not counts.all and not any_artifact(project.pk)
    shown_of = getattr(counts, filters.state or "all")
    tag = hash_of([(use.pk, use.calls, use.reads, use.last_at) for use in page.rows], counts)
    return {
        "rows": rows,
        "wanted": filters,
        "counts": counts,
        "references": references,
        "references_before": before,
        "order": order,
        "sentence": NO_ARTIFACTS if is_new else _sentence(scope, filters, counts),
        "is_new": is_new,
        "states": [
            (name, word, getattr(counts, name or "all"), with_query(address, show=name, sort=order))
            for name, word in STATES.items()
        ],
        "orders": {
            name or "last": with_query(address, show=filters.state, sort=name) for name in ORDERS
        },
        "shown": f"{len(rows):,} of {shown_of:,}, {ORDER_WORDS[order]}",
        "links": links_of(page, ORDERS[order], here),
        "tag": tag,
        "live_url": _live(project.slug, here, tag) if start.is_newest else "",
    }


def _live(slug: str, here: str, tag: str) -> str:
    rows = reverse("outcomes:artifact_rows", args=[slug])
    query = here.partition("?")[2]
    return with_query(f"{rows}?{query}" if query else rows, tag=tag)


def _references(project_id: int, scope: Scope) -> tuple[int, int | None]:
    """Calls in this period that refer to an artifact, and those in the previous one, if any."""
    since, until = scope.bounds
    if since is None:
        such = CallFilter(environment=scope.environment, agent=scope.agent, until=until)
        return figures(project_id, such).with_outcome(REFERENCE), None
    before, now = figures_over_time(
        project_id, both_periods(scope), None, scope.zone, cut=scope.since
    )
    return now.figures.with_outcome(REFERENCE), before.figures.with_outcome(REFERENCE)


def _sentence(scope: Scope, filters: ArtifactFilter, counts: ArtifactCounts) -> str:
    where = f" in {scope.environment}" if scope.environment else ""
    whose = f" of {scope.agent}" if scope.agent else ""
    when = "" if scope.is_all else f" {scope.in_words}"
    if not counts.all:
        return f"No artifacts{whose}{where}{when}"
    artifacts = counted(counts.all, "artifact")
    read = f"{counts.read:,}" if counts.read else "none"
    return f"{artifacts}{whose}{where}{when} · {size(counts.size_bytes)} · {read} re-read"

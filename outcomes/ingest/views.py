"""Settings pages for invalid events and failed batches."""

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.web.table_files import one_of_tables, table_file
from outcomes.ingest import words
from outcomes.ingest.commands.back_pressure import why_refused
from outcomes.ingest.commands.batches import retry_batch
from outcomes.ingest.domain import Post
from outcomes.ingest.queries.inbox import (
    faults_of,
    rejected_count,
    rejected_items,
    set_aside_batches,
    shown_excerpt,
)
from outcomes.ingest.tables import BATCHES, FAULTS, REJECTED
from outcomes.jobs import doorbell
from outcomes.jobs import queries as jobs_queries
from outcomes.web.addresses import opening_url
from outcomes.web.paging import every, links_of, start_of

PLACE = ("id",)


@require_safe
@member_page()
def rejected(request: MemberRequest) -> HttpResponseBase:
    project = request.project.pk
    file = table_file(
        request,
        request.project,
        "invalid-events",
        REJECTED,
        lambda: every(lambda before: rejected_items(project, before=before), PLACE),
    )
    if file is not None:
        return file
    start = start_of(request.GET, PLACE)
    page = rejected_items(request.project.pk, before=start.before, after=start.after)
    total = rejected_count(request.project.pk)
    context = {
        "page_title": "Invalid events",
        "sentence": words.invalid_sentence(total, page.rows[0] if page.rows else None),
        "items": [(item, shown_excerpt(item)) for item in page.rows],
        "opens": opening_url(request),
        "total": total,
        "shown": f"{len(page.rows):,} of {total:,}, newest first",
        "links": links_of(page, PLACE, request.path),
    }
    return render(request, "ingest/rejected.html", context)


@require_safe
@member_page()
def set_aside(request: MemberRequest) -> HttpResponseBase:
    project = request.project.pk
    faults = faults_of(project)
    file = one_of_tables(request, request.project, {"faults": (FAULTS, faults)}) or table_file(
        request,
        request.project,
        "failed-batches",
        BATCHES,
        lambda: every(lambda before: set_aside_batches(project, before=before), PLACE),
    )
    if file is not None:
        return file
    start = start_of(request.GET, PLACE)
    page = set_aside_batches(request.project.pk, before=start.before, after=start.after)
    backlog = jobs_queries.backlog(request.project.pk)
    context = {
        "page_title": "Failed batches",
        "sentence": words.failed_sentence(backlog.set_aside),
        "backlog_words": words.backlog_words(backlog),
        "batches": page.rows,
        "faults": faults,
        "refused": why_refused(Post.OUTCOMES),
        "shown": f"{len(page.rows):,} of {backlog.set_aside:,}, newest first",
        "links": links_of(page, PLACE, request.path),
        "may_retry": may(request.role, Action.RETRY_BATCH),
    }
    return render(request, "ingest/set_aside.html", context)


@require_POST
@member_page(Action.RETRY_BATCH)
def retry(request: MemberRequest, batch_id: int) -> HttpResponse:
    retry_batch(request.project.pk, batch_id, by=request.actor)
    doorbell.ring()
    messages.success(request, f"Batch {batch_id:,} is queued again.")
    return redirect("outcomes:set_aside", request.project.slug)

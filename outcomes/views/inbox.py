"""What was refused at the door and what could not be settled, among the settings of a project."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from governance.auth import MemberRequest, member_page
from governance.policies import Action, may
from governance.table_files import one_of_tables, table_file
from outcomes import commands, doorbell, queries
from outcomes.commands.back_pressure import why_refused
from outcomes.domain.back_pressure import Post
from outcomes.queries.inbox import shown_excerpt
from outcomes.views.opening import address_opening
from outcomes.views.paging import every, links_of, start_of
from outcomes.views.part_columns import BATCHES, FAULTS
from outcomes.views.table_columns import REJECTED

PLACE = ("id",)


@require_safe
@member_page()
def rejected(request: MemberRequest) -> HttpResponseBase:
    project = request.project.pk
    file = table_file(
        request,
        request.project,
        "rejected-items",
        REJECTED,
        lambda: every(lambda before: queries.rejected_items(project, before=before), PLACE),
    )
    if file is not None:
        return file
    start = start_of(request.GET, PLACE)
    page = queries.rejected_items(request.project.pk, before=start.before, after=start.after)
    total = queries.rejected_count(request.project.pk)
    context = {
        "page_title": "Rejected items",
        "items": [(item, shown_excerpt(item)) for item in page.rows],
        "opens": address_opening(request),
        "total": total,
        "shown": f"{len(page.rows):,} of {total:,}, newest first",
        "links": links_of(page, PLACE, request.path),
    }
    return render(request, "outcomes/rejected.html", context)


@require_safe
@member_page()
def set_aside(request: MemberRequest) -> HttpResponseBase:
    project = request.project.pk
    faults = queries.faults_of(project)
    file = one_of_tables(request, request.project, {"faults": (FAULTS, faults)}) or table_file(
        request,
        request.project,
        "set-aside-batches",
        BATCHES,
        lambda: every(lambda before: queries.set_aside_batches(project, before=before), PLACE),
    )
    if file is not None:
        return file
    start = start_of(request.GET, PLACE)
    page = queries.set_aside_batches(request.project.pk, before=start.before, after=start.after)
    backlog = queries.backlog(request.project.pk)
    context = {
        "page_title": "Set-aside batches",
        "batches": page.rows,
        "faults": faults,
        "refused": why_refused(Post.OUTCOMES),
        "backlog": backlog,
        "waited": timedelta(seconds=backlog.seconds_behind),
        "shown": f"{len(page.rows):,} of {backlog.set_aside:,}, newest first",
        "links": links_of(page, PLACE, request.path),
        "may_retry": may(request.role, Action.RETRY_BATCH),
    }
    return render(request, "outcomes/set_aside.html", context)


@require_POST
@member_page(Action.RETRY_BATCH)
def retry(request: MemberRequest, batch_id: int) -> HttpResponse:
    commands.retry_batch(request.project.pk, batch_id, by=request.actor)
    doorbell.ring()
    messages.success(request, f"Batch {batch_id:,} is with the worker again.")
    return redirect("outcomes:set_aside", request.project.slug)

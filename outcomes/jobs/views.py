"""Backlog of a project, loaded once per request: the page frame and some pages show it."""

from django.http import HttpRequest

from outcomes.jobs.queries import Backlog, backlog


def backlog_of(request: HttpRequest, project_id: int) -> Backlog:
    cached: Backlog | None = vars(request).get("backlog")
    if cached is None:
        cached = vars(request)["backlog"] = backlog(project_id)
    return cached

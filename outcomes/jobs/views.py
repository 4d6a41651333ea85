"""What waits to be settled, read once for a page: its frame says it, and some pages themselves."""

from django.http import HttpRequest

from outcomes.jobs.queries import Backlog, backlog


def backlog_of(request: HttpRequest, project_id: int) -> Backlog:
    found: Backlog | None = vars(request).get("backlog")
    if found is None:
        found = vars(request)["backlog"] = backlog(project_id)
    return found

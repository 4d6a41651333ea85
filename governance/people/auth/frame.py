"""Navigation counts, read once per request."""

from django.http import HttpRequest
from django.utils import timezone

from governance.models import Project
from governance.people.queries.navigation import Navigation, navigation


def navigation_of(request: HttpRequest, project: Project) -> Navigation:
    known: Navigation | None = vars(request).get("beside")
    if known is None:
        known = navigation(project.pk, timezone.now())
        vars(request)["beside"] = known
    return known

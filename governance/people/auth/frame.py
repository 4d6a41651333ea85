"""What is read once for a page, by whoever asks for it first: the page itself or its frame."""

from django.http import HttpRequest
from django.utils import timezone

from governance.models import Project
from governance.people.queries.navigation import Navigation, navigation


def beside(request: HttpRequest, project: Project) -> Navigation:
    found: Navigation | None = vars(request).get("beside")
    if found is None:
        found = navigation(project.pk, timezone.now())
        vars(request)["beside"] = found
    return found

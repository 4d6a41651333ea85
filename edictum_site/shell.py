"""What every page shows around its content: projects, environments, navigation, state."""

from typing import Any, TypedDict

from django.db import DatabaseError, connection
from django.http import HttpRequest
from django.urls import reverse

from governance import queries
from governance.models import Project, User

# In the order of the navigation; a page stands here from the day it exists.
GROUPS = (
    (("Sessions", "outcomes:sessions", "sessions"),),
    (("Settings", "governance:settings", "settings"),),
)


class Entry(TypedDict):
    name: str
    url: str
    icon: str
    current: bool
    count: int
    filled: bool


def shell(request: HttpRequest) -> dict[str, Any]:
    project: Project | None = getattr(request, "project", None)
    user = getattr(request, "user", None)
    if project is None or not isinstance(user, User):
        return {"project": None, "projects": [], "nav": []}
    environments = queries.environments(project)
    asked = request.GET.get("environment", "")
    return {
        "project": project,
        "projects": [member.project for member in queries.memberships(user)],
        "environments": environments,
        "environment": asked if asked in environments else "",
        "role": getattr(request, "role", ""),
        "nav": [[_entry(request, project, *entry) for entry in group] for group in GROUPS],
        "console": console_state(),
    }


def _entry(request: HttpRequest, project: Project, name: str, view: str, icon: str) -> Entry:
    url = reverse(view, args=[project.slug])
    return Entry(
        name=name,
        url=url,
        icon=icon,
        current=request.path.startswith(url),
        count=0,
        filled=False,
    )


def console_state() -> dict[str, Any]:
    try:
        connection.ensure_connection()
    except DatabaseError:
        return {"ok": False, "words": "The database does not answer"}
    return {"ok": True, "words": "Database up"}

"""What every page shows around its content: projects, environments, navigation, state."""

from datetime import timedelta
from typing import Any, TypedDict

from django.http import HttpRequest
from django.urls import reverse

from edictum_site.figures import duration, thousands
from governance import queries
from governance.models import Project
from outcomes.queries import Backlog, backlog

LATE = 60.0  # seconds behind after which something must be wrong

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


class ConsoleState(TypedDict):
    ok: bool
    words: str


def shell(request: HttpRequest) -> dict[str, Any]:
    project: Project | None = getattr(request, "project", None)
    if project is None:
        return {"project": None, "projects": [], "nav": []}
    environments = queries.environments(project)
    asked = request.GET.get("environment", "")
    return {
        "project": project,
        "projects": getattr(request, "projects", []),
        "environments": environments,
        "environment": asked if asked in environments else "",
        "role": getattr(request, "role", ""),
        "nav": [[_entry(request, project, *entry) for entry in group] for group in GROUPS],
        "console": console_state(backlog()),
    }


def console_state(waiting: Backlog) -> ConsoleState:
    behind = duration(timedelta(seconds=waiting.seconds_behind))
    if waiting.seconds_behind > LATE:
        words = f"Settling is {behind} behind; is the worker up?"
    elif waiting.set_aside:
        many = "" if waiting.set_aside == 1 else "es"
        words = f"{thousands(waiting.set_aside)} batch{many} could not be settled"
    elif waiting.batches:
        return {"ok": True, "words": f"Worker up · settled {behind} behind"}
    else:
        return {"ok": True, "words": "Everything is settled"}
    return {"ok": False, "words": words}


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

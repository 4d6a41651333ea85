"""What every page shows around its content: projects, environments, navigation, state."""

from datetime import timedelta
from typing import Any, TypedDict

from django.http import HttpRequest
from django.utils.http import urlencode

from edictum_site.scope_bar import carried, carried_on, carried_to_one, scope_bar
from governance.core.figures import duration, thousands
from governance.models import Project
from governance.people.auth import beside
from outcomes.core import heartbeat as pulse
from outcomes.core.scope import Scope
from outcomes.ingest.commands.back_pressure import why_refused_of_late
from outcomes.jobs.queries import Backlog
from outcomes.jobs.views import backlog_of
from outcomes.overview.words import LATE
from outcomes.web.addresses import of_project

APPROVALS = "outcomes:approvals"
ATTENTION = "governance:attention"
CONTRACTS = "governance:contracts"
# What the numbers beside the entries count.
COUNTED = {APPROVALS: "waiting", ATTENTION: "open", CONTRACTS: "waiting for a second person"}
TO_DECIDE = {APPROVALS, CONTRACTS}  # somebody has to act

# In the order of the navigation; a page stands here from the day it exists.
GROUPS = (
    (
        ("Overview", "outcomes:overview", "overview"),
        ("Sessions", "outcomes:sessions", "sessions"),
        ("Tools", "outcomes:tools", "tools"),
        ("Denials", "outcomes:denials", "denials"),
        ("Artifacts", "outcomes:artifacts", "artifacts"),
        ("Needs attention", ATTENTION, "warning"),
    ),
    (
        ("Contracts", CONTRACTS, "contracts"),
        ("Success checks", "governance:checks", "checks"),
        ("Approvals", APPROVALS, "approvals"),
        ("Agents", "outcomes:agents", "agents"),
    ),
    (("Settings", "governance:settings", "settings"),),
)

THEMES = ("light", "dark")  # without a word of the reader's, that of their system

START = ("Start", "first_hour:start", "sign")  # until there is a contract and a check

# Pages that belong to an entry of the navigation, wherever they stand.
BELONG = {
    "outcomes:sessions": (
        "/calls/",
        "/compare-sessions/",
        "/delete-session/",
        "/reset-session/",
        "/saved-views/",
    ),
    "outcomes:tools": ("/groups/", "/live/tool-"),
    "outcomes:agents": ("/stop/", "/stops/"),
}


class Entry(TypedDict):
    name: str
    url: str
    icon: str
    current: bool
    count: int
    filled: bool
    counted: str


class ConsoleState(TypedDict):
    ok: bool
    words: str


def shell(request: HttpRequest) -> dict[str, Any]:
    project: Project | None = getattr(request, "project", None)
    theme = request.COOKIES.get("theme", "")
    look = {"theme": theme if theme in THEMES else ""}  # of the first paint, so that none flashes
    if project is None:
        return {**look, "project": None, "projects": [], "nav": []}
    found = beside(request, project)
    environments = list(found.waiting)
    scope: Scope | None = vars(request).get("scope")
    asked = request.GET.get("environment", "") if scope is None else scope.environment
    counts = {
        APPROVALS: sum(found.waiting.values()),
        ATTENTION: found.findings,
        CONTRACTS: found.requests,
    }
    chosen = carried(request, is_entry=_is_entry(request, project))
    nav = [
        [_entry(request, project, counts, *entry) for entry in group]
        for group in ((START,) if not found.begun else (), *GROUPS)
        if group
    ]
    return {
        **look,
        "scope": scope,
        "scope_bar": None if scope is None else scope_bar(request, scope),
        "carried": _query(chosen),  # after the address of a list or of figures
        "carried_on": _query(carried_on(request, chosen)),  # after that of an entry
        "carried_to_one": _query(carried_to_one(request, chosen)),  # after that of one thing
        "project": project,
        "projects": getattr(request, "projects", []),
        "environments": environments,
        "environment": asked if scope is not None or asked in environments else "",
        "in_others": _list_of(project, nav) if "of_one_environment" in vars(request) else "",
        "waiting_here": sum(
            number for name, number in found.waiting.items() if asked in ("", name)
        ),
        "role": getattr(request, "role", ""),
        "nav": nav,
        "console": console_state(
            backlog_of(request, project.pk),
            worker=pulse.is_felt(),
            is_starting=pulse.is_awaited(),
            refused=why_refused_of_late(),
        ),
    }


def _query(chosen: dict[str, str]) -> str:
    return f"?{urlencode(chosen)}" if chosen else ""


def console_state(
    waiting: Backlog, *, worker: bool | None, is_starting: bool = False, refused: str = ""
) -> ConsoleState:
    """How settling goes, worst first; nobody knows of the worker while the broker is silent."""
    if refused:
        return {"ok": False, "words": f"Posts are refused · {refused}"}
    behind = duration(timedelta(seconds=waiting.seconds_behind))
    if worker is False and is_starting:
        return {"ok": True, "words": "Worker starting · " + _waiting(waiting)}
    if worker is False:
        words = "Worker silent · " + _waiting(waiting)
    elif waiting.seconds_behind > LATE:
        words = f"Settling is {behind} behind · " + _waiting(waiting)
    elif waiting.set_aside:
        words = _batches(waiting.set_aside) + " could not be settled"
    else:
        up = "Worker up · " if worker else ""
        words = f"settled {behind} behind" if waiting.batches else "everything is settled"
        return {"ok": True, "words": up + words if up else words.capitalize()}
    return {"ok": False, "words": words}


def _waiting(waiting: Backlog) -> str:
    if not waiting.batches:
        return "nothing waits"
    more = "more than " if waiting.is_more else ""
    return more + _batches(waiting.batches) + (" waits" if waiting.batches == 1 else " wait")


def _batches(number: int) -> str:
    return f"{thousands(number)} batch" + ("" if number == 1 else "es")


def _entry(
    request: HttpRequest, project: Project, counts: dict[str, int], name: str, view: str, icon: str
) -> Entry:
    url = of_project(view, project.slug)
    return Entry(
        name=name,
        url=url,
        icon=icon,
        current=_is_current(request.path, view, url),
        count=counts.get(view, 0),
        filled=view in TO_DECIDE,
        counted=COUNTED.get(view, ""),
    )


def _list_of(project: Project, nav: list[list[Entry]]) -> str:
    """Where the entry leads that this page belongs to; calls are found by their sessions."""
    sessions = of_project("outcomes:sessions", project.slug)
    return next((entry["url"] for group in nav for entry in group if entry["current"]), sessions)


def _is_entry(request: HttpRequest, project: Project) -> bool:
    """Whether this is a page of the navigation itself, not one below it."""
    return any(
        request.path == of_project(view, project.slug) for group in GROUPS for _, view, _ in group
    )


def _is_current(path: str, view: str, url: str) -> bool:
    return path.startswith(
        (url, *(url.rsplit("/", 2)[0] + there for there in BELONG.get(view, ())))
    )

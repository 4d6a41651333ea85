"""Frame of every page: projects, environments, navigation, state."""

from datetime import timedelta
from typing import Any, TypedDict

from django.http import HttpRequest
from django.utils import timezone
from django.utils.http import urlencode

from edictum_site.help.release import commit, version
from edictum_site.pages.scope_bar import carried, carried_on, carried_to_one, scope_bar
from governance.core.figures import duration, thousands
from governance.models import Project
from governance.people.auth import navigation_of
from governance.people.queries.navigation import Navigation
from governance.web.exports import exports_of
from outcomes.alerts.domain import LATE
from outcomes.alerts.queries import is_behind
from outcomes.core.scope import Scope
from outcomes.hosts import worker_state
from outcomes.ingest.commands.back_pressure import why_refused_of_late
from outcomes.jobs.queries import Backlog
from outcomes.jobs.views import backlog_of
from outcomes.retention.domain import SHORTEST, Kind
from outcomes.retention.queries.runs import only_sums_before
from outcomes.retention.words import only_sums_sentence
from outcomes.web.addresses import project_url

APPROVALS = "outcomes:approvals"
ALERTS = "outcomes:alerts"
CONTRACTS = "governance:contracts"
# Meaning of the counts next to navigation entries.
COUNTED = {APPROVALS: "waiting", ALERTS: "open", CONTRACTS: "waiting for a second person"}
TO_DECIDE = {APPROVALS, CONTRACTS}  # counts that need a decision

# Pages in the order of the navigation.
GROUPS = (
    (
        ("Overview", "outcomes:overview", "overview"),
        ("Sessions", "outcomes:sessions", "sessions"),
        ("Calls", "outcomes:calls", "calls"),
        ("Tools", "outcomes:tools", "tools"),
        ("Denials", "outcomes:denials", "denials"),
        ("Artifacts", "outcomes:artifacts", "artifacts"),
        ("Alerts", ALERTS, "warning"),
    ),
    (
        ("Contracts", CONTRACTS, "contracts"),
        ("Success checks", "governance:checks", "checks"),
        ("Approvals", APPROVALS, "approvals"),
        ("Agents", "outcomes:agents", "agents"),
    ),
    (("Settings", "governance:settings", "settings"),),
)

# Settings pages, which have their own navigation.
SETTINGS = (
    ("General", "governance:settings"),
    ("Keys", "governance:keys"),
    ("Members", "governance:members"),
    ("Environments", "governance:environments"),
    ("Signing key", "governance:signing_key"),
    ("OpenTelemetry", "outcomes:spans"),
    ("Invalid events", "outcomes:rejected"),
    ("Failed batches", "outcomes:set_aside"),
    ("Masking", "outcomes:masking"),
    ("Retention", "outcomes:retention"),
    ("Hosts", "outcomes:hosts"),
    ("Audit log", "governance:audit"),
)

THEMES = ("light", "dark")  # default: the system's theme

HIDDEN_START = "start_hidden"  # session key for a list of project slugs
START = ("Start", "first_hour:start", "sign")  # until a contract is deployed and a check is bound

# Pages that belong to a navigation entry although their URL is elsewhere.
BELONG = {
    "outcomes:sessions": (
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
    appearance = {
        "theme": theme if theme in THEMES else ""
    }  # set before the first paint, to avoid a flash
    release = {"version": version(), "commit": commit()}
    if project is None:
        return {**appearance, "project": None, "projects": [], "nav": [], "release": release}
    counts_here = navigation_of(request, project)
    environments = [] if "of_no_project" in vars(request) else list(counts_here.waiting)
    waiting = backlog_of(request, project.pk)
    scope: Scope | None = vars(request).get("scope")
    environment = request.GET.get("environment", "") if scope is None else scope.environment
    counts = {
        APPROVALS: sum(counts_here.waiting.values()),
        ALERTS: counts_here.alerts + is_behind(waiting),
        CONTRACTS: counts_here.requests,
    }
    chosen = carried(request, is_entry=_is_entry(request, project))
    nav = [
        [_entry(request, project, counts, *entry) for entry in group]
        for group in ((START,) if _shows_start(request, project, counts_here) else (), *GROUPS)
        if group
    ]
    return {
        **appearance,
        "release": release,
        "scope": scope,
        "only_sums": "" if scope is None else _only_sums(project, scope),
        "scope_bar": None if scope is None else scope_bar(request, scope),
        "carried": _query(chosen),  # appended to URLs of lists and figures
        "carried_on": _query(carried_on(request, chosen)),  # appended to navigation links
        "carried_to_one": _query(carried_to_one(request, chosen)),  # appended to URLs of one entry
        "project": project,
        "projects": getattr(request, "projects", []),
        "environments": environments,
        "environment": environment if scope is not None or environment in environments else "",
        "in_others": _list_of(project, nav) if "of_one_environment" in vars(request) else "",
        "waiting_here": sum(
            number for name, number in counts_here.waiting.items() if environment in ("", name)
        ),
        "role": getattr(request, "role", ""),
        "nav": nav,
        "settings_nav": _settings_nav(request, project),
        "nearest": next((entry for group in nav for entry in group if entry["current"]), None),
        "exports": exports_of(request),
        "console": console_state(
            waiting,
            worker=worker_state.is_felt(),
            is_starting=worker_state.is_awaited(),
            refused=why_refused_of_late(),
        ),
    }


def _only_sums(project: Project, scope: Scope) -> str:
    """A sentence if the scope starts before the calls that retention has left; empty otherwise."""
    if scope.since > timezone.now() - timedelta(days=SHORTEST[Kind.CALLS]):
        return ""
    before = only_sums_before(project.pk, scope.environment)
    return only_sums_sentence(before) if before is not None and scope.since < before else ""


def _shows_start(request: HttpRequest, project: Project, counts: Navigation) -> bool:
    return not counts.begun and project.slug not in request.session.get(HIDDEN_START, [])


def _query(chosen: dict[str, str]) -> str:
    return f"?{urlencode(chosen)}" if chosen else ""


def console_state(
    backlog: Backlog, *, worker: bool | None, is_starting: bool = False, refused: str = ""
) -> ConsoleState:
    """State of processing, worst problem first; `worker` is None if unknown."""
    lag = duration(timedelta(seconds=backlog.seconds_behind))
    if refused:
        return {"ok": False, "words": f"Events are rejected · {refused}"}
    if worker is False and is_starting:
        return {"ok": True, "words": f"Worker starting · {_queued(backlog)}"}
    if worker is False:
        return {"ok": False, "words": f"Worker not responding · {_queued(backlog)}"}
    if backlog.seconds_behind > LATE:
        return {"ok": False, "words": f"Processing is {lag} behind · {_queued(backlog)}"}
    if backlog.set_aside:
        return {"ok": False, "words": f"{_batches(backlog.set_aside)} failed to process"}
    return {"ok": True, "words": "Up to date"}


def _queued(backlog: Backlog) -> str:
    if not backlog.batches:
        return "queue empty"
    more = "more than " if backlog.is_more else ""
    return f"{more}{_batches(backlog.batches)} queued"


def _batches(number: int) -> str:
    return f"{thousands(number)} batch" + ("" if number == 1 else "es")


def _entry(
    request: HttpRequest, project: Project, counts: dict[str, int], name: str, view: str, icon: str
) -> Entry:
    url = project_url(view, project.slug)
    return Entry(
        name=name,
        url=url,
        icon=icon,
        current=_is_current(request.path, view, url),
        count=counts.get(view, 0),
        filled=view in TO_DECIDE,
        counted=COUNTED.get(view, ""),
    )


def _settings_nav(request: HttpRequest, project: Project) -> list[tuple[str, str, bool]]:
    """Settings navigation: label, URL, and whether this page is at or below it. Empty on other
    pages."""
    general = project_url("governance:settings", project.slug)
    if "of_no_project" in vars(request) or not request.path.startswith(general):
        return []
    pages = [(words, project_url(view, project.slug)) for words, view in SETTINGS]
    current = max((url for _, url in pages if request.path.startswith(url)), key=len)
    return [(words, url, url == current) for words, url in pages]


def _list_of(project: Project, nav: list[list[Entry]]) -> str:
    """URL of the active navigation entry, or of sessions if none is active."""
    sessions = project_url("outcomes:sessions", project.slug)
    return next((entry["url"] for group in nav for entry in group if entry["current"]), sessions)


def _is_entry(request: HttpRequest, project: Project) -> bool:
    """Whether this page is a navigation entry itself, not a page below one."""
    return any(
        request.path == project_url(view, project.slug) for group in GROUPS for _, view, _ in group
    )


def _is_current(path: str, view: str, url: str) -> bool:
    return path.startswith(
        (url, *(url.rsplit("/", 2)[0] + there for there in BELONG.get(view, ())))
    )

"""The start of a project: key, connect, contract, check; what is done is seen from the data."""

from typing import Any, Final

from django.contrib import messages
from django.db import connection
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from edictum_site.first_hour.snippets import LANGUAGES, snippet
from edictum_site.first_start import FIRST_ENVIRONMENT
from governance.checks.queries.checks import newest_check_versions
from governance.contracts.queries.bundles import bundle_names
from governance.core.errors import InvalidInput
from governance.models import ApiKey, Project
from governance.people.auth import MemberRequest, console_address, member_page
from governance.people.commands import keys as commands_keys
from governance.people.domain import Scope, agent_within
from governance.people.policies import Action, may
from governance.people.queries.keys import live_keys
from outcomes.demo.queries.first_hour import newest_calls
from outcomes.ingest.commands.trial_outcome import send_test_outcome
from outcomes.jobs import doorbell
from outcomes.web.paging import with_query

KEY_NAME: Final = "first hour"
_LEFT: Final = (
    "Everything is set up.",
    "One step is left.",
    "Two steps are left.",
    "Three steps are left.",
)
DATABASES: Final = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


@require_safe
@member_page()
def start(request: MemberRequest) -> HttpResponse:
    return _page(request)


@require_POST
@never_cache  # the answer holds the key
@member_page(Action.MANAGE_KEYS)
def make_key(request: MemberRequest) -> HttpResponse:
    """A key for this page's lines, shown in them and nowhere else."""
    environment = request.POST.get("environment", "").strip() or FIRST_ENVIRONMENT
    try:
        text, key = commands_keys.make_key(
            request.project, name=KEY_NAME, env=environment, scopes=[Scope.AGENT], by=request.actor
        )
    except InvalidInput as error:
        return _page(request, refused=str(error), status=422)
    return _page(request, made=(text, key))


@require_POST
@member_page(Action.MANAGE_KEYS)
def send_test(request: MemberRequest) -> HttpResponse:
    """With the script the page stays as it is, for it may show a key for the only time."""
    try:
        send_test_outcome(
            request.project.pk, env=request.POST.get("environment", ""), by=request.actor
        )
    except InvalidInput as error:
        return _page(request, refused=str(error), status=422)
    doorbell.ring()
    if request.headers.get("HX-Request") == "true":
        return HttpResponse(status=204)
    messages.success(request, "A test outcome is sent. It is settled within two seconds.")
    return redirect("first_hour:start", slug=request.project.slug)


@require_safe
@member_page()
def first_outcome(request: MemberRequest) -> HttpResponse:
    """The part that waits, and turns green by itself."""
    context = _arrival(request, _keys_of_agents(request.project))
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "first_hour/_first_outcome.html", context | {"alone": True})


def _page(
    request: MemberRequest,
    *,
    made: tuple[str, ApiKey] | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    project = request.project
    keys = _keys_of_agents(project)
    text, key = made or ("", keys[0] if keys else None)
    environment = key.environment.name if key else FIRST_ENVIRONMENT
    language = request.POST.get("with") or request.GET.get("with", "")
    language = language if language in LANGUAGES else "python"
    url, shown = console_address(request), text or f"edk_{environment}_…"
    agent = agent_within(key.agent if key else "")
    lines = {
        name: snippet(name, url=url, key=shown, env=environment, agent=agent) for name in LANGUAGES
    }
    context = _arrival(request, keys) | {
        "page_title": "Start",
        "key": key,
        "text": text,
        "refused": refused,
        "language": language,
        "languages": LANGUAGES,
        "snippet": lines[language],
        "others": [
            (name, words, lines[name]) for name, words in LANGUAGES.items() if name != language
        ],
        "environment": environment,
        "demo": next((each for each in request.projects if each.is_demo), None),
        "may_manage": may(request.role, Action.MANAGE_KEYS),
        "may_write": may(request.role, Action.WRITE_CONTRACT),
        "database": DATABASES.get(connection.vendor, connection.vendor),
    }
    return render(request, "first_hour/start.html", context, status=status)


def _arrival(request: MemberRequest, keys: list[ApiKey]) -> dict[str, Any]:
    project = request.project
    calls = newest_calls(project.pk, 2)
    newest, is_first = next(iter(calls), None), len(calls) == 1
    contracts, checks = bundle_names(project, limit=1), newest_check_versions(project, "", 1)
    left = sum(not there for there in (keys, contracts, checks))
    tag = str(newest.pk) if newest else "none"
    live = reverse("first_hour:first_outcome", args=[project.slug])
    return {
        "newest": newest,
        "is_first": is_first,
        "tag": tag,
        "live_url": "" if newest else with_query(live, tag=tag),
        "contracts": contracts,
        "checks": checks,
        "sentence": _sentence(is_first=is_first, left=left)
        if newest
        else "Connect an agent; it takes about two minutes.",
    }


def _sentence(*, is_first: bool, left: int) -> str:
    arrived = "Your first outcome is here." if is_first else "Outcomes arrive."
    return f"{arrived} {_LEFT[left]}"


def _keys_of_agents(project: Project) -> list[ApiKey]:
    return [key for key in live_keys(project) if {"agent", "ingest"} & set(key.scopes)]

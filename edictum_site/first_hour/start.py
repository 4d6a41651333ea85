"""Start page: steps from a key to the first check, with code to copy and live progress."""

from hashlib import sha256
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from edictum_site.first_hour.progress import STEPS, Progress, progress_of
from edictum_site.first_hour.snippets import connect_snippets
from edictum_site.first_hour.words import done_words, headline, received_words, suspected_words
from edictum_site.first_start import FIRST_ENVIRONMENT
from edictum_site.pages.shell import HIDDEN_START
from governance.clients.views import wheel_address
from governance.contracts.domain.snippets import contract_snippets
from governance.contracts.domain.templates import templates
from governance.core.errors import InvalidInput
from governance.models import ApiKey
from governance.people.auth import MemberRequest, console_address, member_page
from governance.people.commands import keys as commands_keys
from governance.people.domain import Scope, agent_within, digest_of
from governance.people.policies import Action, may
from governance.people.queries.keys import live_key
from governance.people.views.shown_once import forget_secret, redirect_with_secret, secret_of
from outcomes.database import NAME as DATABASE
from outcomes.demo.queries.first_hour import newest_calls
from outcomes.ingest.commands.trial_outcome import send_test_outcome
from outcomes.jobs import doorbell
from outcomes.models import Suggestion
from outcomes.retention.queries.rules import rules_of
from outcomes.retention.words import retention_words
from outcomes.suggestions.commands.scans import request_scan
from outcomes.web.paging import with_query

KEY_NAME: Final = "created on Start"
LATEST: Final = 3  # calls
_TAG: Final = 6  # characters
# Templates of the page's live parts, by element id.
PARTS: Final = {
    **{f"step-{number}": "first_hour/_step_number.html" for number in range(1, STEPS + 1)},
    "key-state": "first_hour/_key_state.html",
    "connect-state": "first_hour/_connect_state.html",
    "contract-next": "first_hour/_contract_next.html",
    "contract-code": "first_hour/_contract_code.html",
    "contract-state": "first_hour/_contract_state.html",
    "check-next": "first_hour/_check_next.html",
    "check-state": "first_hour/_check_state.html",
    "suggestion": "first_hour/_suggestion.html",
    "latest-calls": "first_hour/_latest_calls.html",
}


@require_safe
@never_cache  # the page may show a new key
@member_page()
def start(request: MemberRequest) -> HttpResponse:
    text = secret_of(request)
    key = live_key(digest_of(text)) if text else None
    created = (text, key) if key and key.project_id == request.project.pk else None
    return forget_secret(request, _page(request, created=created))


@require_POST
@member_page(Action.MANAGE_KEYS)
def make_key(request: MemberRequest) -> HttpResponse:
    environment = request.POST.get("environment", "").strip() or FIRST_ENVIRONMENT
    try:
        text, _ = commands_keys.make_key(
            request.project, name=KEY_NAME, env=environment, scopes=[Scope.AGENT], by=request.actor
        )
    except InvalidInput as error:
        return _page(request, refused=str(error), status=422)
    return redirect_with_secret(reverse("first_hour:start", args=[request.project.slug]), text)


@require_POST
@member_page(Action.MANAGE_KEYS)
def send_test(request: MemberRequest) -> HttpResponse:
    """Send a test outcome. With JavaScript the page is not reloaded, as it may show a new key that
    is never shown again."""
    try:
        send_test_outcome(
            request.project.pk, env=request.POST.get("environment", ""), by=request.actor
        )
    except InvalidInput as error:
        return _page(request, refused=str(error), status=422)
    doorbell.ring()
    if request.headers.get("HX-Request") == "true":
        return HttpResponse(status=204)
    messages.success(request, "Test call sent. It arrives within 2 s.")
    return redirect("first_hour:start", slug=request.project.slug)


@require_POST
@member_page()
def hide(request: MemberRequest) -> HttpResponse:
    """Remove Start from this browser's navigation; Settings still links to it."""
    hidden = set(request.session.get(HIDDEN_START, []))
    request.session[HIDDEN_START] = sorted(hidden | {request.project.slug})
    messages.success(request, "Start is hidden. Find it in Settings.")
    return redirect("outcomes:overview", request.project.slug)


@require_POST
@member_page(Action.WRITE_CHECK)
def scan(request: MemberRequest) -> HttpResponse:
    """Scan outputs for suggestions now instead of within 5 minutes."""
    doorbell.ring(doorbell.SCAN, request_scan(request.project.pk).pk)
    if request.headers.get("HX-Request") == "true":
        return HttpResponse(status=204)
    return redirect("first_hour:start", slug=request.project.slug)


@require_safe
@member_page()
def live(request: MemberRequest) -> HttpResponse:
    """Parts that changed since the last poll; 204 if none did."""
    parts = _parts(request, progress_of(request.project))
    seen = request.GET.get("seen", "").split(".")
    if seen == [_tag(html) for html in parts.values()]:
        return HttpResponse(status=204)
    seen = seen if len(seen) == len(parts) else [""] * len(parts)
    changed = {
        place: html
        for (place, html), tag in zip(parts.items(), seen, strict=True)
        if tag != _tag(html)
    }
    context = {"changed": changed, "live_url": _live_url(request, parts)}
    return render(request, "first_hour/_live.html", context)


def _page(
    request: MemberRequest,
    *,
    created: tuple[str, ApiKey] | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    progress = progress_of(request.project)
    text, key = created or ("", progress.key)
    environment = key.environment.name if key else FIRST_ENVIRONMENT
    parts = _parts(request, progress)
    context = {
        "page_title": "Start",
        "progress": progress,
        "key": key,
        "text": text,
        "refused": refused,
        "environment": environment,
        "snippets": connect_snippets(
            console_address(request),
            key=text or f"edk_{environment}_…",
            client=wheel_address(request),
            agent=agent_within(key.agent if key else ""),
        ),
        "parts": {name.replace("-", "_"): html for name, html in parts.items()},
        "live_url": _live_url(request, parts),
        "is_hidden": request.project.slug in request.session.get(HIDDEN_START, []),
        "demo": next((each for each in request.projects if each.is_demo), None),
        "may_manage": may(request.role, Action.MANAGE_KEYS),
        "may_deploy": may(request.role, Action.DEPLOY),
        "templates": templates(),
        "kept": retention_words(rules_of(request.project.pk)),
        "database": DATABASE,
    }
    return render(request, "first_hour/start.html", context, status=status)


def _parts(request: MemberRequest, progress: Progress) -> dict[str, str]:
    """HTML of every live part by element id; no part contains a key or a form."""
    got, suggestion, done = progress.got, progress.suggestion, progress.done
    context: dict[str, Any] = {
        "project": request.project,
        "progress": progress,
        "got": got,
        "received": received_words(got),
        "calls": newest_calls(request.project.pk, LATEST),
        "contract_snippets": _contract_snippets(request, progress),
        "suggested": suspected_words(suggestion) if suggestion else "",
        "suggestion_url": _suggestion_url(request, suggestion) if suggestion else "",
        "next_is_contract": progress.now == 3 and suggestion is None,
        "may_write": may(request.role, Action.WRITE_CONTRACT),
    }
    texts = {
        "sentence": headline(
            got,
            suspected=progress.suspected,
        ),
        "steps-done": done_words(done.count(True), STEPS),
    }
    numbers = {
        f"step-{number}": {"number": number, "done": is_done, "now": number == progress.now}
        for number, is_done in enumerate(done, 1)
    }
    drawn = {
        place: render_to_string(template, numbers.get(place, context)).strip()
        for place, template in PARTS.items()
    }
    return texts | drawn


def _contract_snippets(request: MemberRequest, progress: Progress) -> list[Any]:
    if progress.deployment is None:
        return []
    return contract_snippets(
        progress.deployment.version.bundle.name,
        url=console_address(request),
        env=progress.environment,
        agent=agent_within(progress.key.agent if progress.key else ""),
        client=wheel_address(request),
    )


def _suggestion_url(request: MemberRequest, suggestion: Suggestion) -> str:
    """URL of the part with the four steps of a suggestion, which returns to this page."""
    return with_query(
        reverse("outcomes:suggestion_part", args=[request.project.slug]),
        tool=suggestion.tool.name,
        check=suggestion.check_name,
        rule=suggestion.rule,
        back="start",
    )


def _live_url(request: MemberRequest, parts: dict[str, str]) -> str:
    address = reverse("first_hour:live", args=[request.project.slug])
    return with_query(address, seen=".".join(_tag(html) for html in parts.values()))


def _tag(html: str) -> str:
    return sha256(html.encode()).hexdigest()[:_TAG]

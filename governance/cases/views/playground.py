"""Playground: tries a call against a version or a draft, with a trace of every rule."""

from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from governance.cases.views.call_form import CallForm
from governance.contracts.queries.bundles import bundle_names
from governance.contracts.queries.contracts import (
    existing_bundle,
    live_deployments,
    newest_version,
    versions_before,
)
from governance.contracts.queries.drafts import draft_of, text_of
from governance.contracts.queries.trial import Tried, try_call
from governance.contracts.views.tabs import PLAYGROUND, shown_tabs, version_or_newest
from governance.models import Bundle
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.people.queries.projects import environments
from governance.web.forms import sent

CHOICES = 200  # versions to choose from
DRAFT = "draft"


class Against(NamedTuple):
    """Version or draft that a call is tried against."""

    value: str  # value of the select option
    words: str
    text: str


@require_http_methods(["GET", "HEAD", "POST"])
@member_page()
def playground(request: MemberRequest, bundle_name: str = "") -> HttpResponse:
    """Without a contract in the URL, the page asks for one and keeps the call in the form."""
    bundle = _bundle(request, bundle_name)
    is_post = request.method == "POST"
    form = CallForm(sent(request)) if is_post else CallForm()
    context = _about(request, bundle, form)
    if is_post and bundle is not None:
        context |= _tried(request, bundle, form)
    page = "cases/playground.html" if bundle else "cases/choose_playground.html"
    return render(request, page, context)


@require_POST
@member_page()
def playground_result(request: MemberRequest, bundle_name: str) -> HttpResponse:
    bundle = existing_bundle(request.project, bundle_name)
    form = CallForm(request.POST)
    context = {"bundle": bundle, "form": form} | _tried(request, bundle, form)
    return render(request, "cases/_tried.html", context)


def _tried(request: MemberRequest, bundle: Bundle, form: CallForm) -> dict[str, Any]:
    against = _against(request, bundle)
    tried: Tried | None = None
    if form.is_valid():
        tried = try_call(against.text, form.call())
    return {"tried": tried, "against": against}


def _about(request: MemberRequest, bundle: Bundle | None, form: CallForm) -> dict[str, Any]:
    context: dict[str, Any] = {
        "page_title": f"Playground of {bundle.name}" if bundle else "Playground",
        "bundle": bundle,
        "form": form,
        "known_environments": environments(request.project),
        "may_write": may(request.role, Action.WRITE_CONTRACT),
    }
    if bundle is None:
        return context | {"names": bundle_names(request.project)}
    newest = newest_version(bundle)
    return context | {
        "tabs": shown_tabs(request, bundle.name, PLAYGROUND),
        "choices": _choices(request, bundle),
        "chosen": _chosen_version(request) or str(newest.number if newest else ""),
    }


def _choices(request: MemberRequest, bundle: Bundle) -> list[tuple[str, str]]:
    versions = versions_before(bundle, None, CHOICES)
    live: dict[int, list[str]] = {}
    for each in live_deployments(request.project, [bundle.pk]):
        live.setdefault(each.version.number, []).append(each.environment.name)
    choices = [(str(each.number), _words(each.number, live)) for each in versions]
    drafted = draft_of(bundle, request.user.pk) is not None
    return [*([(DRAFT, "my draft")] if drafted else []), *choices]


def _words(number: int, live: dict[int, list[str]]) -> str:
    return f"v{number}" + (f", deployed to {', '.join(live[number])}" if number in live else "")


def _against(request: MemberRequest, bundle: Bundle) -> Against:
    """Version to try: the newest, unless another or your draft is requested."""
    chosen = _chosen_version(request)
    if chosen == DRAFT and (draft := draft_of(bundle, request.user.pk)):
        return Against(DRAFT, "your draft", draft.text)
    version = version_or_newest(bundle, chosen)
    return Against(str(version.number), f"v{version.number}", text_of(version))


def _chosen_version(request: MemberRequest) -> str:
    return request.POST.get("version") or request.GET.get("version", "")


def _bundle(request: MemberRequest, name: str) -> Bundle | None:
    """Contract in the URL, else the chosen one."""
    chosen = name or request.POST.get("contract") or request.GET.get("contract", "")
    return existing_bundle(request.project, chosen) if chosen else None

"""Playground of a new contract that only exists as a draft."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from governance.cases.views.call_form import CallForm
from governance.cases.views.playground import DRAFT, Against
from governance.contracts.queries.drafts import new_draft_numbered
from governance.contracts.queries.trial import Tried, try_call
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.people.queries.projects import environments
from governance.web.forms import sent


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def playground_of_draft(request: MemberRequest, draft_id: int) -> HttpResponse:
    text, at = _text(request, draft_id), [request.project.slug, draft_id]
    if text is None:
        return redirect("governance:contracts", request.project.slug)
    form = CallForm(sent(request)) if request.method == "POST" else CallForm()
    context = {
        "page_title": "Playground of a new contract",
        "page": reverse("governance:edit_new_draft", args=at),
        "try_at": reverse("governance:playground_of_draft", args=at),
        "result_at": reverse("governance:draft_result", args=at),
        "known_environments": environments(request.project),
        "form": form,
    }
    if request.method == "POST":
        context |= _tried(text, form)
    return render(request, "cases/playground_of_draft.html", context)


@require_POST
@member_page(Action.WRITE_CONTRACT)
def draft_result(request: MemberRequest, draft_id: int) -> HttpResponse:
    text, form = _text(request, draft_id), CallForm(request.POST)
    return render(request, "cases/_tried.html", {"form": form} | _tried(text, form))


def _text(request: MemberRequest, draft_id: int) -> str | None:
    """Text of the draft, or None if it was saved or discarded."""
    fits = draft_id < 2**63
    draft = new_draft_numbered(request.project, request.user.pk, draft_id) if fits else None
    return draft.text if draft else None


def _tried(text: str | None, form: CallForm) -> dict[str, Any]:
    tried: Tried | None = None
    if text is None:
        tried = Tried(why="This draft was already saved or discarded.")
    elif form.is_valid():
        tried = try_call(text, form.call())
    return {"tried": tried, "against": Against(DRAFT, "your draft", text or "")}

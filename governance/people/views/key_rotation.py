"""Pages to rotate API keys, end an old value, and set a maximum lifetime."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from governance.core.errors import Conflict, InvalidInput
from governance.people.auth import MemberRequest, member_page
from governance.people.commands import key_rotation as commands
from governance.people.forms import ExpiryForm, RotateForm
from governance.people.policies import Action
from governance.people.views.keys import active_key
from governance.people.views.shown_once import redirect_with_secret
from governance.web.forms import sent


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_KEYS)
def rotate_key(request: MemberRequest, key_id: int) -> HttpResponse:
    key = active_key(request, key_id)
    form = RotateForm(sent(request))
    if form.is_valid():
        overlap = form.cleaned_data["overlap_hours"]
        try:
            text, key = commands.rotate_key(key, overlap_hours=overlap, by=request.actor)
        except (Conflict, InvalidInput) as error:
            form.take(error)
        else:
            created = reverse("governance:key_created", args=[request.project.slug, key.pk])
            return redirect_with_secret(created, text)
    context = {"page_title": f"Rotate {key.name}", "key": key, "form": form}
    return render(request, "people/rotate_key.html", context, status=422 if form.errors else 200)


@require_POST
@member_page(Action.MANAGE_KEYS)
def end_previous_value(request: MemberRequest, key_id: int) -> HttpResponse:
    key = active_key(request, key_id)
    try:
        commands.end_previous_value(key, by=request.actor)
    except Conflict as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The old value of {key.name} ends within 1 s.")
    return redirect("governance:key", request.project.slug, key.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_KEYS)
def key_expiry(request: MemberRequest) -> HttpResponse:
    form = ExpiryForm(sent(request), initial={"max_days": request.project.max_key_days})
    if form.is_valid():
        max_days = form.cleaned_data["max_days"]
        shortened = commands.require_expiry(request.project, max_days=max_days, by=request.actor)
        messages.success(request, _saved(max_days, shortened))
        return redirect("governance:keys", request.project.slug)
    context = {"page_title": "Key expiry", "form": form}
    return render(request, "people/key_expiry.html", context, status=422 if form.errors else 200)


def _saved(max_days: int | None, shortened: int) -> str:
    if max_days is None:
        return "Keys need no expiry date. Existing dates are unchanged."
    keys = "1 key expires" if shortened == 1 else f"{shortened} keys expire"
    return f"Keys expire after at most {max_days} days. {keys} earlier than before."

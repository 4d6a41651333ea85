"""Profile page: a user's own settings for all projects."""

from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from edictum_site.pages.shell import THEMES
from governance.models import User
from governance.people.auth import signed_in_page
from governance.people.commands.people import change_profile, choose_range
from governance.web.forms import Form, sent
from outcomes.core.scope import ALL, ALL_TIME, RANGES, USUAL

THEME_COOKIE = "theme"
A_YEAR = 31_536_000  # seconds


class ProfileForm(Form):
    name = forms.CharField(
        label="Name",
        max_length=128,
        required=False,
        help_text="Shown to your team instead of your email address.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    theme = forms.ChoiceField(
        label="Theme",
        required=False,
        choices=[("", "System"), ("light", "Light"), ("dark", "Dark")],
        help_text="In this browser.",
    )
    zone = forms.ChoiceField(label="Time zone", required=False)
    time_range = forms.ChoiceField(
        label="Default time range",
        required=False,
        help_text="Pages open with it. Choosing a range in the top bar changes it.",
    )
    single_keys = forms.BooleanField(
        label="Keyboard shortcuts",
        required=False,
        help_text="Single keys such as j, k and /. Ctrl K always opens the search.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: dict[str, Any] = {"zone": zones(), "time_range": ranges()}
        for name, offered in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101  # as declared above
            field.choices = offered


@cache
def zones() -> list[tuple[str, str]]:
    named = sorted(name for name in available_timezones() if "/" in name and "Etc/" not in name)
    return [("", "Browser's time zone"), ("UTC", "UTC"), *((name, name) for name in named)]


def ranges() -> list[tuple[str, str]]:
    named = [(name, words) for name, (_, words) in RANGES.items()]
    return [*named, (ALL, f"{ALL_TIME} (lists)")]


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in_page
def profile(request: HttpRequest) -> HttpResponseBase:
    user = person(request)
    theme = request.COOKIES.get(THEME_COOKIE, "")
    initial = {
        "name": user.name,
        "theme": theme if theme in THEMES else "",
        "zone": user.zone,
        "time_range": user.time_range or USUAL,
        "single_keys": user.single_keys,
    }
    form = ProfileForm(sent(request), initial=initial)
    if form.is_valid():
        chosen = dict(form.cleaned_data)
        theme = chosen.pop("theme")
        change_profile(user, **chosen)
        messages.success(request, "Profile saved.")
        return with_theme(redirect("profile"), theme)
    context = {"page_title": "Profile", "form": form}
    return render(request, "account/profile.html", context, status=422 if form.errors else 200)


@require_POST
@signed_in_page
def remember_range(request: HttpRequest) -> HttpResponse:
    """Store the time range chosen in the scope bar. Called by the script, or by a form without
    JavaScript."""
    name, back = request.POST.get("range", ""), request.POST.get("back", "")
    if name in RANGES or name == ALL:
        choose_range(person(request), name)
    if back.startswith("/") and url_has_allowed_host_and_scheme(back, None):
        return redirect(back)
    return HttpResponse(status=204)


def with_theme(response: HttpResponse, theme: str) -> HttpResponse:
    if theme:
        response.set_cookie(THEME_COOKIE, theme, max_age=A_YEAR, samesite="Lax")
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response


def person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101  # signed_in_page saw to it
    return request.user

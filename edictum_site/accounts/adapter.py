"""Sign-in with email and password, by invitation only."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import ChangePasswordForm, LoginForm
from allauth.account.views import account_inactive, login, logout, password_change
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import path

from edictum_site.accounts import profile, sign_in_limits
from governance.models import User

# Only these: sign-up, reset by email and the rest have no address at all.
urlpatterns = [
    path("sign-in/", login, name="account_login"),
    path("sign-out/", logout, name="account_logout"),
    path("password/", password_change, name="account_change_password"),
    path("inactive/", account_inactive, name="account_inactive"),
    path("profile/", profile.profile, name="profile"),
    path("range/", profile.remember_range, name="remember_range"),
]

# That one is signed in, or out, one sees.
OBVIOUS = frozenset({"account/messages/logged_in.txt", "account/messages/logged_out.txt"})


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": "Wrong email or password.",
        "enter_current_password": "Wrong current password.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        limit = sign_in_limits.limit_of(request, credentials.get("email", ""))
        # By this name allauth takes it back when the password is right.
        self._login_failed_rl_usage = sign_in_limits.consume(request, limit)
        if not self._login_failed_rl_usage:
            wait = sign_in_limits.time_to_wait(request, limit)
            raise ValidationError(f"Too many attempts. Try again in {wait}.", code="too_many_tries")

    def post_login(self, request: HttpRequest, user: User, **named: Any) -> HttpResponseBase:
        response: HttpResponseBase = super().post_login(request, user, **named)
        sign_in_limits.remember_browser(response, user)
        return response

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *rest: Any,
        **named: Any,
    ) -> None:
        if message_template not in OBVIOUS:
            super().add_message(request, level, message_template, *rest, **named)


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _relabel(self, login="Email", password="Password")  # noqa: S106  # a label
        self.fields["login"].widget.attrs["autocomplete"] = "username"
        # The browser's own message would say it in the browser's words, before ours.
        self.use_required_attribute = False


class PasswordForm(ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _relabel(
            self,
            oldpassword="Current password",
            password1="New password",
            password2="Repeat new password",
        )
        self.fields["password1"].help_text = "At least 10 characters."


def _relabel(form: Any, **labels: str) -> None:
    for name, label in labels.items():
        field = form.fields[name]
        field.label, field.help_text = label, ""
        field.widget.attrs.pop("placeholder", None)

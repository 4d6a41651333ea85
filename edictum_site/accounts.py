"""Sign-in as we want it: e-mail and password, by invitation only, in our own words."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import ChangePasswordForm, LoginForm
from allauth.account.views import account_inactive, login, logout, password_change
from django.http import HttpRequest
from django.urls import path

# Only these: sign-up, reset by e-mail and the rest have no address at all.
urlpatterns = [
    path("sign-in/", login, name="account_login"),
    path("sign-out/", logout, name="account_logout"),
    path("password/", password_change, name="account_change_password"),
    path("inactive/", account_inactive, name="account_inactive"),
]

# That one is signed in, or out, one sees.
OBVIOUS = frozenset({"account/messages/logged_in.txt", "account/messages/logged_out.txt"})


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": "E-mail and password do not match.",
        "enter_current_password": "This is not your present password.",
        "too_many_login_attempts": "Too many tries. Wait five minutes, then try again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

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
        _relabel(self, login="E-mail", password="Password")  # noqa: S106  # a label
        self.fields["login"].widget.attrs["autocomplete"] = "username"
        # The browser's own message would say it in the browser's words, before ours.
        self.use_required_attribute = False


class PasswordForm(ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _relabel(
            self,
            oldpassword="Present password",
            password1="New password",
            password2="New password, again",
        )
        self.fields["password1"].help_text = "At least 10 characters."


def _relabel(form: Any, **labels: str) -> None:
    for name, label in labels.items():
        field = form.fields[name]
        field.label, field.help_text = label, ""
        field.widget.attrs.pop("placeholder", None)

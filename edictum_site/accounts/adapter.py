"""Sign-in with email and password, by invitation only."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import ChangePasswordForm, LoginForm, ReauthenticateForm
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from edictum_site.accounts import sign_in_limits
from edictum_site.accounts.sso import after_sign_in
from governance.models import User
from governance.people.providers import provider_required

logger = logging.getLogger(__name__)

# Not shown, as the page itself shows whether you are signed in.
OBVIOUS = frozenset({"account/messages/logged_in.txt", "account/messages/logged_out.txt"})


WAYS_TO_CONFIRM = {
    "reauthenticate": "Use your password",
    "mfa_reauthenticate": "Use a code",
    "mfa_reauthenticate:webauthn": "Use a passkey",
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": "Wrong email or password.",
        "enter_current_password": "Wrong current password.",
        "incorrect_password": "Wrong password.",
        "too_many_login_attempts": "Too many attempts. Try again in 5 minutes.",
        "rate_limited": "Too many attempts. Try again in 5 minutes.",
    }

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return [each | {"description": WAYS_TO_CONFIRM[each["id"]]} for each in methods]

    def get_reset_password_from_key_url(self, key: str) -> str:
        user, _, token = key.partition("-")
        return settings.SITE_URL + reverse("account_reset_password_from_key", args=[user, token])

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException):  # an error would reveal which addresses have accounts
            logger.exception("Could not send a mail")

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        if provider := provider_required(settings.OIDC, credentials.get("email", "")):
            raise ValidationError(f"Sign in with {provider.name}.", code="provider")
        limit = sign_in_limits.limit_of(request, credentials.get("email", ""))
        # allauth rolls back the usage under this name if the password is correct.
        self._login_failed_rl_usage = sign_in_limits.consume(request, limit)
        if not self._login_failed_rl_usage:
            wait = sign_in_limits.time_to_wait(request, limit)
            raise ValidationError(f"Too many attempts. Try again in {wait}.", code="too_many_tries")

    def pre_login(self, request: HttpRequest, user: User, **named: Any) -> HttpResponseBase | None:
        provider = provider_required(settings.OIDC, user.email)
        if provider is not None and "sociallogin" not in (named["signal_kwargs"] or {}):
            messages.error(request, f"Sign in with {provider.name}.")
            return redirect("account_login")
        response: HttpResponseBase | None = super().pre_login(request, user, **named)
        return response

    def post_login(self, request: HttpRequest, user: User, **named: Any) -> HttpResponseBase:
        response: HttpResponseBase = super().post_login(request, user, **named)
        sign_in_limits.remember_browser(response, user)
        if sociallogin := (named["signal_kwargs"] or {}).get("sociallogin"):
            after_sign_in(request, sociallogin)
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
        # Otherwise the browser would show its own message before ours.
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


class ConfirmForm(ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _relabel(self, password="Password")  # noqa: S106  # a label


def _relabel(form: Any, **labels: str) -> None:
    for name, label in labels.items():
        field = form.fields[name]
        field.label, field.help_text = label, ""
        field.widget.attrs.pop("placeholder", None)

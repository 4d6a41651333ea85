"""Password resets: a link sent by mail, or given by an admin if mail is not configured."""

from typing import Any

from allauth.account.forms import ResetPasswordForm, ResetPasswordKeyForm
from allauth.account.views import password_reset
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from governance.people.providers import provider_required


def forgotten(request: HttpRequest) -> HttpResponseBase:
    if not settings.SENDS_MAIL:
        return render(request, "account/forgotten_without_mail.html")
    answer: HttpResponseBase = password_reset(request)
    return answer


class ForgottenForm(ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        email = self.fields["email"]
        email.label = "Email"
        email.error_messages["required"] = "Required."
        email.widget.attrs = {"autocomplete": "username"}

    def clean_email(self) -> str:
        if provider := provider_required(settings.OIDC, self.cleaned_data["email"]):
            raise ValidationError(f"Sign in with {provider.name}.")
        email: str = super().clean_email()
        return email


class NewPasswordForm(ResetPasswordKeyForm):  # type: ignore[misc]  # allauth has no types
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels = {"password1": "New password", "password2": "Repeat new password"}
        for name, label in labels.items():
            field = self.fields[name]
            field.label, field.help_text = label, ""
            field.error_messages["required"] = "Required."
            # allauth's placeholder repeats the label, which is always visible.
            field.widget.attrs.pop("placeholder", None)
        self.fields["password1"].help_text = "At least 10 characters."

"""Addresses of accounts. Only these: sign-up and the rest of allauth have no address at all."""

from collections.abc import Callable
from typing import Any

from allauth.account import views as account
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkeys
from django.db import transaction
from django.urls import path
from django.views.generic import RedirectView

from edictum_site.accounts import profile
from governance.people.auth import signed_in_page

View = Callable[..., Any]


def changing(view: View) -> View:
    """A page that changes how its person signs in: the change and its audit entries are one."""
    return signed_in_page(transaction.atomic(view))


to_factors = RedirectView.as_view(pattern_name="mfa_index")

urlpatterns = [
    path("sign-in/", account.login, name="account_login"),
    path("sign-in/second-factor/", factors.authenticate, name="mfa_authenticate"),
    path("sign-in/passkey/", passkeys.login_webauthn, name="mfa_login_webauthn"),
    path("sign-out/", account.logout, name="account_logout"),
    path("confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("confirm/code/", factors.reauthenticate, name="mfa_reauthenticate"),
    path("confirm/passkey/", passkeys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("password/", account.password_change, name="account_change_password"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("profile/", profile.profile, name="profile"),
    path("range/", profile.remember_range, name="remember_range"),
    path("second-factor/", signed_in_page(factors.index), name="mfa_index"),
    path("second-factor/app/", signed_in_page(totp.activate_totp), name="mfa_activate_totp"),
    path("second-factor/app/remove/", changing(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path(
        "second-factor/recovery-codes/",
        signed_in_page(recovery_codes.view_recovery_codes),
        name="mfa_view_recovery_codes",
    ),
    path(
        "second-factor/recovery-codes/new/",
        changing(recovery_codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path("second-factor/passkeys/", to_factors, name="mfa_list_webauthn"),
    path("second-factor/passkeys/add/", changing(passkeys.add_webauthn), name="mfa_add_webauthn"),
    path(
        "second-factor/passkeys/<int:pk>/rename/",
        signed_in_page(passkeys.edit_webauthn),
        name="mfa_edit_webauthn",
    ),
    path(
        "second-factor/passkeys/<int:pk>/remove/",
        changing(passkeys.remove_webauthn),
        name="mfa_remove_webauthn",
    ),
]

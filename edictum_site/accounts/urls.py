"""URLs of accounts. Sign-up and other views of allauth are deliberately not included."""

from collections.abc import Callable
from typing import Any

from allauth.account import views as account
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkeys
from django.conf import settings
from django.db import transaction
from django.urls import path, re_path
from django.views.generic import RedirectView

from edictum_site.accounts import own_data, passwords, profile, sessions, sso
from governance.people.auth import signed_in_page

View = Callable[..., Any]


def changing(view: View) -> View:
    """View that changes how a user signs in, in one transaction with its audit entries."""
    return signed_in_page(transaction.atomic(view))


SHOWN = {"providers": lambda: settings.OIDC.values()}  # called by templates
to_sign_in = RedirectView.as_view(pattern_name="account_login")
to_profile = RedirectView.as_view(pattern_name="profile")
to_factors = RedirectView.as_view(pattern_name="mfa_index")

urlpatterns = [
    path("sign-in/", account.LoginView.as_view(extra_context=SHOWN), name="account_login"),
    path("sign-in/second-factor/", factors.authenticate, name="mfa_authenticate"),
    path("sign-in/passkey/", passkeys.login_webauthn, name="mfa_login_webauthn"),
    path("sign-in/with/<slug:provider_id>/", sso.sign_in_with, name="openid_connect_login"),
    path("sign-in/with/<slug:provider_id>/done/", sso.came_back, name="openid_connect_callback"),
    path("sign-in/cancelled/", to_sign_in, name="socialaccount_login_cancelled"),
    path("sign-out/", account.logout, name="account_logout"),
    path("confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("confirm/code/", factors.reauthenticate, name="mfa_reauthenticate"),
    path("confirm/passkey/", passkeys.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("password/", account.password_change, name="account_change_password"),
    path("password/forgotten/", passwords.forgotten, name="account_reset_password"),
    path("password/sent/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/\Z",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("password/changed/", to_sign_in, name="account_reset_password_from_key_done"),
    # For users without a password, who sign in with a provider.
    path("password/none/", to_profile, name="account_set_password"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("profile/", profile.profile, name="profile"),
    path("data/", own_data.download, name="own_data"),
    path("sessions/", sessions.sessions, name="account_sessions"),
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

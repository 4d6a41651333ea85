"""Record sign-ins and changes of second factors in the audit log, using Django's and allauth's
signals."""

from typing import Any

from allauth.account.internal.flows.login import get_authentication_records, record_authentication
from allauth.account.signals import password_changed, password_reset, password_set, user_logged_in
from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authentication_failed, authenticator_removed
from django.contrib.auth import signals as django_signals
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.db.models.signals import post_save
from django.http import HttpRequest

from governance.audit_log import Detail
from governance.models import User
from governance.people.commands.sessions import just_noted
from governance.people.commands.sign_ins import record_in_projects
from governance.people.queries.people import user_with

FACTORS = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: "recovery codes",
}


def connect() -> None:
    user_logged_in.connect(_signed_in)
    django_signals.user_logged_in.connect(_session_began)
    user_logged_out.connect(_signed_out)
    user_login_failed.connect(_failed)
    authentication_failed.connect(_factor_failed)
    authenticator_removed.connect(_factor_removed)
    post_save.connect(_factor_added, sender=Authenticator)
    for changed in (password_changed, password_set, password_reset):
        changed.connect(_password_changed)


def _signed_in(request: HttpRequest, user: User, **_: Any) -> None:
    records = get_authentication_records(request, user)
    methods: list[Detail] = [_method(each) for each in records]
    record_in_projects(user, "signed in", details={"with": methods})


def _session_began(request: HttpRequest, **_: Any) -> None:
    if request.session.session_key:
        just_noted(request.session.session_key)


def _method(record: dict[str, Any]) -> str:
    if record["method"] == "mfa":
        return FACTORS[Authenticator.Type(record["type"])]
    return str(record.get("provider") or record["method"])


def _signed_out(user: User | None, **_: Any) -> None:
    if user is not None:
        record_in_projects(user, "signed out")


def _failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    user = user_with(str(credentials.get("email") or ""))
    if user is not None and request is not None:
        record_in_projects(user, "sign-in failed")


def _factor_failed(user: User, authenticator: Any, **_: Any) -> None:
    details: dict[str, Detail] = {"factor": FACTORS[authenticator.type]}
    record_in_projects(user, "second factor failed", details=details)


def _factor_added(instance: Any, created: bool, **_: Any) -> None:  # noqa: FBT001  # Django's order
    if not created:
        return
    request = context.request
    details: dict[str, Detail] = {"factor": FACTORS[instance.type]}
    record_in_projects(instance.user, "second factor added", details=details)
    is_codes = instance.type == Authenticator.Type.RECOVERY_CODES
    if request is not None and request.user == instance.user and not is_codes:
        # The factor was just used, so this session needn't show it again or reauthenticate.
        shown = {"id": instance.pk, "type": str(instance.type), "reauthenticated": True}
        record_authentication(request, instance.user, "mfa", **shown)


def _factor_removed(user: User, authenticator: Any, **_: Any) -> None:
    details: dict[str, Detail] = {"factor": FACTORS[authenticator.type]}
    record_in_projects(user, "second factor removed", details=details)


def _password_changed(user: User, **_: Any) -> None:
    record_in_projects(user, "password changed")

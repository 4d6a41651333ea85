"""Second factors: messages, labels, and encryption of stored TOTP secrets."""

import base64
from functools import lru_cache
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm
from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django import forms
from django.conf import settings
from django.core.validators import MaxLengthValidator

from governance.models import User

ISSUER = "Edictum Site"
LONGEST_NAME = 64  # characters
_PURPOSE = b"edictum-site: secrets of second factors"


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "Wrong code. Enter the newest one.",
        "cannot_generate_recovery_codes": "Add an authenticator app or a passkey first.",
    }

    def get_totp_issuer(self) -> str:
        return ISSUER

    def _get_site_name(self) -> str:
        return ISSUER

    def encrypt(self, text: str) -> str:
        return _ciphers().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _ciphers().decrypt(encrypted_text.encode()).decode()

    def generate_authenticator_name(self, user: User, type: str) -> str:
        number: int = user.authenticator_set.filter(type=type).count() + 1  # type: ignore[attr-defined]  # allauth's model
        return f"Passkey {number}" if number > 1 else "Passkey"


def _ciphers() -> MultiFernet:
    """Cipher that encrypts with the current secret key and also decrypts with earlier ones."""
    return MultiFernet([_cipher(each) for each in (settings.SECRET_KEY, *settings.OLD_SECRETS)])


@lru_cache(maxsize=8)
def _cipher(secret: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(secret.encode())
    return Fernet(base64.urlsafe_b64encode(derived))


class _CodeForm(forms.Form):
    """Form with one field for a code, with our label and no placeholder."""

    use_required_attribute = False
    code_label = "Code of your authenticator app, or a recovery code"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        code = self.fields["code"]
        code.label = self.code_label
        code.error_messages["required"] = "Required."
        code.widget.attrs = {"autocomplete": "one-time-code", "spellcheck": "false"}


class CodeForm(_CodeForm, AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    pass


class ConfirmByCodeForm(_CodeForm, ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    pass


class AddAppForm(_CodeForm, ActivateTOTPForm):  # type: ignore[misc]  # allauth has no types
    code_label = "Code that the app shows"


class AddPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    passwordless = forms.BooleanField(
        label="Sign in with it alone",
        required=False,
        initial=True,
        help_text="Without a password. It then asks for a fingerprint, a face or a PIN.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _name_field(self)
        self.fields["credential"].error_messages["required"] = "The browser sent no passkey."


class RenamePasskeyForm(EditWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _name_field(self)
        self.fields["name"].error_messages["required"] = "Required."


def _name_field(form: Any) -> None:
    name = form.fields["name"]
    name.validators.append(MaxLengthValidator(LONGEST_NAME))
    name.help_text = "For example the device that holds it."

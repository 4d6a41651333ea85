"""Mail settings from the environment: `EMAIL_URL`, and the sender address."""

from typing import Any, Final
from urllib.parse import unquote, urlsplit

from edictum_site.env import SettingInvalid, env_secret, env_str

SMTP: Final = "django.core.mail.backends.smtp.EmailBackend"
SECONDS: Final = 10  # timeout of the mail server
PORTS: Final = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}


def env_mail(site_url: str) -> dict[str, Any]:
    """Django's mail settings; empty if mail is not configured."""
    text = env_secret("EMAIL_URL")
    if not text:
        return {}
    if not site_url:
        raise SettingInvalid("EMAIL_URL needs EDICTUM_SITE_URL, for the links in mails.")
    url = urlsplit(text)
    try:
        port = url.port
    except ValueError:
        raise SettingInvalid("EMAIL_URL has a port that is not a number.") from None
    if url.scheme not in PORTS or not url.hostname:
        raise SettingInvalid(
            "EMAIL_URL must be smtp://, smtp+starttls:// or smtps:// and a host, such as"
            " smtp+starttls://user:password@mail.example:587."
        )
    return {
        "EMAIL_BACKEND": SMTP,
        "EMAIL_HOST": url.hostname,
        "EMAIL_PORT": port or PORTS[url.scheme],
        "EMAIL_HOST_USER": unquote(url.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
        "EMAIL_USE_SSL": url.scheme == "smtps",
        "EMAIL_USE_TLS": url.scheme == "smtp+starttls",
        "EMAIL_TIMEOUT": SECONDS,
        "DEFAULT_FROM_EMAIL": _sender(site_url),
    }


def _sender(site_url: str) -> str:
    return env_str("EMAIL_FROM", f"Edictum Site <edictum-site@{urlsplit(site_url).hostname}>")

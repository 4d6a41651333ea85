"""Checks for settings that conflict with each other, file permissions, and the secret key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from edictum_site.doctor.results import Result, ok, problem, warning
from edictum_site.env import env_bool, env_secret, env_str
from edictum_site.stack.private import open_to_others
from governance.delivery.queries.sealed_keys import unopened_keys

SHORTEST_SECRET: Final = 40  # characters
SHOWN: Final = 3
LOCAL: Final = ("127.0.0.1", "localhost", "::1")


def configuration() -> Iterator[Result]:
    results = list(_misfits())
    yield from results or [ok("configuration", "Configuration is consistent.")]


def _misfits() -> Iterator[Result]:
    is_https, name = env_bool("EDICTUM_SITE_HTTPS"), "configuration"
    if settings.DEBUG:
        yield warning(name, "Debug pages are on.", "Unset EDICTUM_SITE_DEBUG in production.")
    if urlsplit(settings.SITE_URL).scheme == "https" and not is_https:
        yield problem(
            name,
            "EDICTUM_SITE_URL begins with https, and cookies are sent over http too.",
            "Set EDICTUM_SITE_HTTPS=1.",
        )
    if is_https and not env_str("EDICTUM_SITE_PROXIES"):
        yield warning(
            name,
            "No proxy is trusted, so all requests seem to come from its address.",
            "Name the HTTPS proxy in EDICTUM_SITE_PROXIES.",
        )
    if "*" in settings.ALLOWED_HOSTS:
        yield warning(
            name, "Any host name is allowed.", "Name yours in EDICTUM_SITE_HOSTS instead of *."
        )
    if env_str("HOST", LOCAL[0]) not in LOCAL and not settings.SITE_URL:
        yield warning(
            name,
            "It listens on a network address, and its public URL is not set.",
            "Set EDICTUM_SITE_URL, as https://console.example.",
        )


def permissions() -> Iterator[Result]:
    folder: Path = settings.DATA
    if exposed := open_to_others(folder):
        names = ", ".join(str(path) for path in exposed[:SHOWN])
        yield problem(
            "permissions",
            f"Other users can read {len(exposed)} files or folders: {names}.",
            f"chmod -R go-rwx {folder}, or restart, which fixes them.",
        )
    else:
        yield ok("permissions", f"Only this user can read {folder}.")


def secret_key() -> Iterator[Result]:
    if projects := unopened_keys():
        yield problem(
            "secret key",
            f"The signing key of {', '.join(projects[:SHOWN])} was encrypted with a different"
            " secret key.",
            "Set the previous secret key (EDICTUM_SITE_SECRET_KEY, or the file secret-key of a"
            " backup), or rotate the key under Settings → Signing key.",
        )
    elif len(env_secret("EDICTUM_SITE_SECRET_KEY") or settings.SECRET_KEY) < SHORTEST_SECRET:
        yield warning(
            "secret key",
            f"It has fewer than {SHORTEST_SECRET} characters.",
            "Set EDICTUM_SITE_SECRET_KEY to a long random value, then rotate the signing keys.",
        )
    else:
        yield ok("secret key", "It decrypts all signing keys.")

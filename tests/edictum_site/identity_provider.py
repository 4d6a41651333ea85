"""A real OpenID Connect provider on loopback in its own process, and its users."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.test import Client

from edictum_site.accounts.identity_settings import allauth_providers
from governance.people.providers import IdentityProvider
from tests.ports import free_port

PATIENCE = 60  # seconds, on a machine with busy cores
SIGN_IN = "/account/sign-in/with/acme/"


@contextmanager
def running_provider() -> Iterator[str]:
    """Address of a provider that runs until the block ends."""
    port = free_port()
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **quiet)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url)
        yield url
    finally:
        process.terminate()
        process.wait()


def _wait_for(url: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            httpx.get(f"{url}/.well-known/openid-configuration").raise_for_status()
        except httpx.HTTPError:
            assert time.monotonic() < end, "the provider did not start"
            time.sleep(0.05)
        else:
            return


def configure(settings: Any, url: str, **fields: Any) -> None:
    """Configure one provider, acme."""
    usual: dict[str, Any] = {"id": "acme", "name": "Acme", "client_id": "console", "secret": "s"}
    settings.OIDC = {"acme": IdentityProvider(**usual, url=url, **fields)}
    settings.SOCIALACCOUNT_PROVIDERS = allauth_providers(settings.OIDC)


def know(url: str, sub: str, **claims: Any) -> None:
    """Register a person with the provider, with a verified email by default."""
    usual = {"email": f"{sub}@acme.test", "email_verified": True}
    httpx.put(f"{url}/users/{sub}", json=usual | claims).raise_for_status()


def sign_in(client: Client, sub: str, *, start: str = SIGN_IN) -> Any:
    """Response of the console to a person who signed in with the provider."""
    there = client.get(start)
    assert there.status_code == 302, there.text
    back = httpx.post(there.headers["Location"], data={"sub": sub})
    assert back.status_code == 302, back.text
    parts = urlsplit(back.headers["Location"])
    return client.get(f"{parts.path}?{parts.query}")

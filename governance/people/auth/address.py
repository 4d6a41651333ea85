"""Where people and agents reach this console."""

from django.conf import settings
from django.http import HttpRequest


def console_address(request: HttpRequest) -> str:
    """Without a slash at its end: as it is set, else as the request came here."""
    address: str = settings.SITE_URL
    return address or request.build_absolute_uri("/").rstrip("/")

"""Django's middleware for pages, which requests with a key bypass.

Agents post thousands of times a minute and need no sessions, cookies or messages.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponseForbidden
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.gzip import GZipMiddleware
from django_htmx.middleware import HtmxMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

from governance.audit_log import request_source
from governance.people.auth import add_limit_headers
from governance.people.commands.sessions import note_session

API_PREFIXES = ("/v1/", "/api/v1/", "/metrics", "/mcp")
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

Answer = Callable[[HttpRequest], HttpResponseBase]


def has_key(request: HttpRequest) -> bool:
    """Whether an agent or program sent the request: an API path with a key, or without cookies."""
    return request.path.startswith(API_PREFIXES) and (
        "HTTP_AUTHORIZATION" in request.META or not request.META.get("HTTP_COOKIE")
    )


def security_headers(get_response: Answer) -> Answer:
    def answer(request: HttpRequest) -> HttpResponseBase:
        with request_source(request.META):
            response = get_response(request)
        response.headers["X-Content-Type-Options"] = "nosniff"
        add_limit_headers(request, response)
        if not has_key(request):
            response.headers.setdefault("Content-Security-Policy", POLICY)
            response.headers["Referrer-Policy"] = "same-origin"
            response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
            response.headers["X-Frame-Options"] = "DENY"
            if settings.SECURE_HSTS_SECONDS and request.is_secure():
                lasts = f"max-age={settings.SECURE_HSTS_SECONDS}"
                response.headers["Strict-Transport-Security"] = lasts
        return response

    return answer


class ForPages:
    """Mixin for a Django middleware that lets requests with a key bypass it."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        middleware: Any = self  # the Django class has `get_response`
        theirs = middleware.get_response if has_key(request) else super().__call__  # type: ignore[misc]  # and this
        answer: HttpResponseBase = theirs(request)
        return answer


class StaticFiles(ForPages, WhiteNoiseMiddleware):  # type: ignore[misc]  # whitenoise has no types
    pass


class Compressed(ForPages, GZipMiddleware):
    """Compress pages and their parts, to about a fifth. Files are left as they are, with length and
    ranges."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)


class Sessions(ForPages, SessionMiddleware):
    pass


class Common(ForPages, CommonMiddleware):
    pass


class Csrf(ForPages, CsrfViewMiddleware):
    def process_view(
        self, request: HttpRequest, callback: Any, callback_args: Any, callback_kwargs: Any
    ) -> HttpResponseForbidden | None:
        if has_key(request):
            return None
        return super().process_view(request, callback, callback_args, callback_kwargs)


class Authentication(ForPages, AuthenticationMiddleware):
    pass


class SessionsInUse:
    """Record when a sign-in session was last used, for the pages that list sessions."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        key = None if has_key(request) else request.session.session_key
        if key:
            note_session(key, address=request.META.get("REMOTE_ADDR", ""))
        return self.get_response(request)


class Messages(ForPages, MessageMiddleware):
    pass


class Htmx(ForPages, HtmxMiddleware):
    pass

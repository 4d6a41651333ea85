"""A secret that the next page shows once: in a cookie of that page alone, which then deletes it.

The answer to the form is a redirect, so going back never repeats the form, and no secret is stored
on the server.
"""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

_COOKIE: Final = "shown_once"
_SECONDS: Final = 120  # until the browser has followed the redirect


def redirect_with_secret(path: str, secret: str) -> HttpResponse:
    response = redirect(path)
    response.set_cookie(
        _COOKIE,
        secret,
        max_age=_SECONDS,
        path=path.partition("?")[0],
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
    return response


def secret_of(request: HttpRequest) -> str:
    """Empty when the page was shown before; what it holds is for the caller to check."""
    return request.COOKIES.get(_COOKIE, "")


def forget_secret(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if _COOKIE in request.COOKIES:
        response.delete_cookie(_COOKIE, path=request.path, samesite="Strict")
    return response

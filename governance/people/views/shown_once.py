"""Pass a secret to the next page in a cookie for that page only, which shows and deletes it.

The form's response is a redirect, so the back button never resubmits the form, and the server
stores no secret.
"""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

_COOKIE: Final = "shown_once"
_SECONDS: Final = 120  # enough for the browser to follow the redirect


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
    """Secret in the cookie, or an empty text if it was shown before. The caller validates it."""
    return request.COOKIES.get(_COOKIE, "")


def forget_secret(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if _COOKIE in request.COOKIES:
        response.delete_cookie(_COOKIE, path=request.path, samesite="Strict")
    return response

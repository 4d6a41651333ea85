"""Who may send a body that does not fit in memory, and how large: disk is not for strangers."""

import re
from wsgiref.types import WSGIEnvironment

from django.contrib.auth import get_user
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse

from edictum_site.env import env_int
from governance.auth import resolve_key

MIB = 1024 * 1024
# What a post may have, 64 MiB, and a little: the API refuses what lies between in its own words.
LARGEST_POST = 65 * MIB
LARGEST_ARTIFACT = env_int("EDICTUM_SITE_MAX_ARTIFACT_MIB", 1024) * MIB
ARTIFACTS = re.compile(r"/(?:api/)?v1/artifacts")


def may_upload(environ: WSGIEnvironment) -> int:
    """How many bytes this request's body may have; none when nobody known sends it."""
    if resolve_key(environ.get("HTTP_AUTHORIZATION", "")) is None and not is_signed_in(environ):
        return 0
    return LARGEST_ARTIFACT if ARTIFACTS.fullmatch(environ["PATH_INFO"]) else LARGEST_POST


def is_signed_in(environ: WSGIEnvironment) -> bool:
    if not environ.get("HTTP_COOKIE"):
        return False
    request = WSGIRequest(environ)
    SessionMiddleware(no_answer).process_request(request)
    return get_user(request).is_authenticated


def no_answer(request: HttpRequest) -> HttpResponse:
    return HttpResponse()

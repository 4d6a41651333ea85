"""Upload limits that the front enforces before the application runs; 0 if unauthenticated."""

import re
from importlib import import_module
from wsgiref.types import WSGIEnvironment

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http.cookie import parse_cookie

from edictum_site.front.bodies import BodyRefused
from edictum_site.front.replies import AWAY
from governance.people.auth import resolve_key
from governance.people.domain import Scope
from outcomes.models.faults import is_away

MIB = 1024 * 1024
INGEST_BYTES = 65 * MIB  # 64 MiB after decompression, plus overhead
DOCUMENT_BYTES = 8 * MIB  # more than a contract of 512 KiB, percent-encoded in a form
_API = re.compile(r"/(?:(?:api/)?v1/(.*)|mcp)")
_INGEST = frozenset({"outcomes", "events", "audit/ingest", "traces"})


def may_upload(environ: WSGIEnvironment) -> int:
    """Number of bytes that the sender of this request may send; 0 refuses."""
    match = _API.fullmatch(environ.get("PATH_INFO", ""))
    authorization = environ.get("HTTP_AUTHORIZATION", "")
    if match is None or not authorization:
        return DOCUMENT_BYTES if signed_in(environ) else 0
    try:
        access = resolve_key(authorization, environ.get("REMOTE_ADDR", ""))
    except Exception as error:
        if is_away(error):
            raise BodyRefused(503, "database_unavailable", AWAY) from error
        raise
    if access is None or not access.admits_address(environ.get("REMOTE_ADDR", "")):
        return 0
    route = match[1]
    if route in _INGEST:
        return INGEST_BYTES if Scope.INGEST in access.scopes else 0
    if route == "artifacts":
        return int(settings.MAX_ARTIFACT) if Scope.INGEST in access.scopes else 0
    return DOCUMENT_BYTES


def signed_in(environ: WSGIEnvironment) -> str:
    """Id of the signed-in user as text; empty if unauthenticated."""
    key = parse_cookie(environ.get("HTTP_COOKIE", "")).get(settings.SESSION_COOKIE_NAME)
    if not key:
        return ""
    store = import_module(settings.SESSION_ENGINE).SessionStore(key)
    return str(store.get(SESSION_KEY, ""))

"""Record refused attempts and downloads, based on the responses of all pages and API routes."""

import re
from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from edictum_site.logs import without_secrets
from governance.audit.commands.requests import record_request
from governance.core.actor import Actor
from governance.people.auth import cached_access

_FILE: Final = re.compile(r'attachment; filename="([^"]+)"')
# Views that record more than a file's name do so themselves.
RECORDED_BY_VIEW: Final = frozenset({"artifact_raw"})


def record_refusals_and_downloads(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code == 403:
            _record(request, "request refused", _what(request))
        elif response.status_code == 200 and "Content-Disposition" in response.headers:
            file = _FILE.match(response.headers["Content-Disposition"])
            if file and request.method == "GET" and _name(request) not in RECORDED_BY_VIEW:
                _record(request, "file downloaded", file[1])
        return response

    return answer


def _record(request: HttpRequest, action: str, subject: str) -> None:
    caller = _caller(request)
    if caller is not None:
        record_request(*caller, action, subject, {"path": without_secrets(request.path)[:512]})


def _caller(request: HttpRequest) -> tuple[int, Actor] | None:
    """Project and actor; None for unauthenticated requests and pages outside of projects."""
    given: dict[str, Any] = vars(request)
    access = given.get("caller") or given.get("auth")
    if access is None:
        access = cached_access(request.META.get("HTTP_AUTHORIZATION", ""))
    if access is not None:
        return access.project_id, access.actor
    if "actor" in given and "of_no_project" not in given:
        return given["project"].pk, given["actor"]
    return None


def _what(request: HttpRequest) -> str:
    return f"{request.method} {_name(request) or without_secrets(request.path)}"[:512]


def _name(request: HttpRequest) -> str:
    match = request.resolver_match
    return (match.url_name or "") if match else ""

"""API access with the key of a tool call. All reads and writes go through API routes, so that
scopes, policies, limits, masking and validation apply."""

import io
import json
from typing import Any
from urllib.parse import quote, urlencode

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import resolve, reverse

from edictum_site.accounts.audit_trail import record_refusals_and_downloads
from governance.people.auth import Access, console_address
from governance.people.domain import Scope

# Headers of the MCP request that must not affect the API request.
_NOT_PASSED_ON = ("HTTP_COOKIE", "HTTP_X_EDICTUM_AGENT_ID", "HTTP_RANGE", "HTTP_IF_NONE_MATCH")


class Refused(Exception):
    """An API error, reported to the assistant."""

    def __init__(self, status: int, answer: Any) -> None:
        known = answer if isinstance(answer, dict) else {}
        self.status = status
        self.code = str(known.get("code", ""))
        self.errors = known.get("errors") or []
        super().__init__(str(known.get("detail") or f"HTTP {status}"))


class Caller:
    def __init__(self, request: HttpRequest, access: Access) -> None:
        self.access = access
        self.may_write = Scope.MANAGE in access.scopes
        self._request = request

    def get(self, *path: str, **query: Any) -> Any:
        known = {name: _as_text(each) for name, each in query.items() if each not in (None, "")}
        return self._answer("GET", path, urlencode(known), b"")

    def post(self, *path: str, **body: Any) -> Any:
        known = {name: each for name, each in body.items() if each is not None}
        return self._answer("POST", path, "", json.dumps(known).encode())

    def put(self, *path: str, **body: Any) -> Any:
        return self._answer("PUT", path, "", json.dumps(body).encode())

    def page(self, name: str, *arguments: Any, **query: str) -> str:
        """Absolute URL of a page in the key's project."""
        path = reverse(name, args=[self.access.project_slug, *arguments])
        return self.address(f"{path}?{urlencode(query)}" if query else path)

    def address(self, path: str) -> str:
        return f"{console_address(self._request)}{path}"

    def _answer(self, method: str, path: tuple[str, ...], query: str, body: bytes) -> Any:
        headers = {
            name: each for name, each in self._request.META.items() if name not in _NOT_PASSED_ON
        }
        request = WSGIRequest(headers | _request_line(method, path, query, body))
        match = resolve(request.path_info)
        request.resolver_match = match

        def route(inner: HttpRequest) -> HttpResponseBase:
            response: HttpResponseBase = match.func(inner, *match.args, **match.kwargs)
            return response

        response: Any = record_refusals_and_downloads(route)(request)
        answer = json.loads(response.content) if response.content else None
        if response.status_code >= 400:
            raise Refused(response.status_code, answer)
        return answer


def _request_line(method: str, path: tuple[str, ...], query: str, body: bytes) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": method,
        # Decoded as WSGI servers do it.
        "PATH_INFO": f"/v1/{'/'.join(path)}".encode().decode("latin-1"),
        "RAW_URI": f"/v1/{'/'.join(quote(part, safe='') for part in path)}",
        "QUERY_STRING": query,
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

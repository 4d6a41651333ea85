"""Identify slow requests and their senders. The front runs only a few of them at a time.

Slow requests use the evaluation process, scan artifacts or check recorded results. Table downloads
are not slow: they start like pages and are generated outside the serving threads.
"""

import re
from typing import Final
from wsgiref.types import WSGIEnvironment

from edictum_site.uploads import signed_in
from governance.people.auth import resolve_key

MCP: Final = "/mcp"
LARGE = 1024 * 1024  # bytes from which storing an artifact takes noticeable time
_API: Final = re.compile(r"/(?:api/)?v1/(.*)")
_POSTS: Final = re.compile(
    r"contracts(?:/validate|/evaluate|/explain|/backtests)?"
    r"|contracts/[^/]+/(?:cases/run|deployments|deployment-requests|rollbacks|enforcements)"
    r"|contract-drafts/\d+/versions"
    r"|deployment-requests/\d+/decision"
    r"|success-checks/(?:try|backtests)"
)
_WAITS: Final = re.compile(r"/(?:api/)?v1/(?:outcomes|events|agent-sessions|stats)(?:/.*)?")
_PLAN: Final = re.compile(r"contracts/[^/]+/deployment-plan")
_PAGES: Final = re.compile(
    r"/p/[^/]+/(?:"
    r"contracts/(?:check|playground|backtests/text|new|drafts/\d+(?:/playground(?:/result)?)?"
    r"|requests/\d+(?:/decide)?|deployments/\d+/roll-back"
    r"|b/[^/]+/(?:edit|playground(?:/result)?|tests(?:/.+)?|deploy|enforce|text|versions/\d+))"
    r"|artifacts/[^/]+"
    r"|checks/(?:recorded|bindings/preview|c/[^/]+/verdicts)"
    r"|live/(?:call-rules|artifact/[^/]+))/"
)


class Slow:
    def is_slow(self, environ: WSGIEnvironment) -> bool:
        path = environ["PATH_INFO"]
        if path == MCP:  # the tool is named in the body, and any of them may evaluate
            return True
        if called := _API.fullmatch(path):
            return _is_slow_call(called[1], environ)
        return _PAGES.fullmatch(path) is not None

    def waits(self, environ: WSGIEnvironment) -> bool:
        is_read = environ["REQUEST_METHOD"] == "GET" and "wait=" in environ["QUERY_STRING"]
        return is_read and _WAITS.fullmatch(environ["PATH_INFO"]) is not None

    def actor(self, environ: WSGIEnvironment) -> str:
        if authorization := environ.get("HTTP_AUTHORIZATION", ""):
            access = resolve_key(authorization)
            return str(access.actor) if access else ""
        person = signed_in(environ)
        return f"person:{person}" if person else ""


def _is_slow_call(route: str, environ: WSGIEnvironment) -> bool:
    if environ["REQUEST_METHOD"] == "POST":
        is_artifact = route == "artifacts" and int(environ.get("CONTENT_LENGTH") or 0) > LARGE
        return is_artifact or _POSTS.fullmatch(route) is not None
    if route.startswith("artifacts/"):
        return "lines=" in environ["QUERY_STRING"]
    return _PLAN.fullmatch(route) is not None

"""MCP endpoint: checks key and origin, and lets the SDK answer.

The SDK is imported with the first request, as it takes two seconds and about 40 MB, which consoles
without assistants shouldn't spend.
"""

from importlib import import_module

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from edictum_site.api import quickly
from governance.core.errors import Forbidden
from governance.people.auth import KeyAuth, console_address

CAN_READ = KeyAuth("read", is_limited=False)  # the API requests of tools are counted instead


@quickly
def mcp(request: HttpRequest) -> HttpResponse:
    """Answer an MCP request. Only POST, as there are no sessions or streams."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    refuse_foreign_origin(request)
    access = CAN_READ(request)
    protocol = import_module("edictum_site.mcp.protocol")
    answer: HttpResponse = protocol.answer_to(request, access)
    return answer


def refuse_foreign_origin(request: HttpRequest) -> None:
    """Reject requests from pages of other sites, as the protocol requires. `Host` is checked for
    every request."""
    origin = request.headers.get("Origin")
    own = {console_address(request), request.build_absolute_uri("/").rstrip("/")}
    if origin is not None and origin.lower() not in own:
        raise Forbidden("Requests from pages of other sites are not allowed.", code="origin")

"""One request of the protocol: who sent it, from where, and the answer of the SDK.

The SDK is loaded with the first request: it takes two seconds and some 40 MB, which consoles
without assistants don't spend.
"""

from importlib import import_module

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from edictum_site.api import quickly
from governance.core.errors import Forbidden
from governance.people.auth import KeyAuth, console_address

CAN_READ = KeyAuth("read", is_limited=False)  # each tool's own request counts


@quickly
def mcp(request: HttpRequest) -> HttpResponse:
    """Without sessions and streams, so only POST."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    refuse_foreign_origin(request)
    access = CAN_READ(request)
    protocol = import_module("edictum_site.mcp.protocol")
    answer: HttpResponse = protocol.answer_to(request, access)
    return answer


def refuse_foreign_origin(request: HttpRequest) -> None:
    """A page of another site cannot use the console through a browser, as the protocol requires.
    `Host` is checked for every request."""
    origin = request.headers.get("Origin")
    own = {console_address(request), request.build_absolute_uri("/").rstrip("/")}
    if origin is not None and origin.lower() not in own:
        raise Forbidden("Requests from pages of other sites are not allowed.", code="origin")

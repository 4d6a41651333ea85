"""Refuse requests for unknown host names, with instructions to allow the name."""

from collections.abc import Callable
from functools import lru_cache

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase
from django.shortcuts import render

from edictum_site.errors import api_error, is_api

SHOWN = 100  # characters of a refused name


def refuse_unknown_hosts(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that refuses unknown hosts, as links, redirects and cookies use the request's
    host name."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        try:
            request.get_host()
        except DisallowedHost:
            return _refused(request)
        return get_response(request)

    return answer


@lru_cache(maxsize=64)
def is_known_host(host: str) -> bool:
    """Check a `Host` header, for responses that bypass Django's middleware."""
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def _refused(request: HttpRequest) -> HttpResponse:
    name = request.META.get("HTTP_HOST", "")[:SHOWN]
    detail = (
        f"This console does not accept the host name {name!r}. Set EDICTUM_SITE_URL to the"
        " console's URL, or add the host to EDICTUM_SITE_HOSTS."
    )
    if is_api(request):
        return api_error(400, "unknown_host", detail)
    # Rendered without the request, as the page frame would read its host.
    return render(None, "errors/unknown_host.html", {"detail": detail}, status=400)

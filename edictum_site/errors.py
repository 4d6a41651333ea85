"""Error responses: JSON for the API, otherwise a page."""

import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from edictum_site.middleware import API_PREFIXES
from governance.people.auth import with_a_project
from outcomes.models.faults import end_session_if_read_only, is_away

logger = logging.getLogger(__name__)

LONGEST_PART = 128


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIXES)


def api_error(
    status: int, code: str, detail: str, errors: Sequence[dict[str, Any]] = ()
) -> JsonResponse:
    return JsonResponse({"code": code, "detail": detail, "errors": list(errors)}, status=status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    context = {"reload": request.path}
    why = "Nothing was changed. Reload the page and submit the form again."
    return error_page(request, 403, "This form expired", why, **context)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return api_error(403, "forbidden", "This request is not allowed.")
    return error_page(request, 403, "Not allowed", "Ask an admin for access.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return api_error(404, "not_found", "Not found. Check the URL and its IDs.")
    why = "The link may be wrong, the item deleted, or you may not have access."
    return error_page(request, 404, "Page not found", why, text=_last_part(request.path))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return api_error(400, "bad_request", "The request is malformed.")
    return error_page(request, 400, "Invalid request", "Go back and try again.")


def too_many(request: HttpRequest) -> HttpResponse:
    why = "Too many requests from your network. Try again in a minute."
    return error_page(request, 429, "Too many attempts", why)


def failed(request: HttpRequest) -> HttpResponse:
    error = sys.exception()
    end_session_if_read_only(error)
    if is_api(request):
        return api_error(500, "failed", "Internal error. The server's log has the cause.")
    if not isinstance(error, DatabaseError):  # the navigation needs the database too
        try:
            why = "No agent data was lost. Details are in the server's log."
            return error_page(request, 500, "The server hit an error", why)
        except Exception:
            logger.exception("The error page failed in the shell")
    if isinstance(error, DatabaseError) and is_away(error):
        why = "The database does not answer. Reload the page in a few seconds."
        page = {"page_title": "Not available right now", "why": why}
        response = render(None, "errors/failed.html", page, status=503)
        response.headers["Retry-After"] = "5"
        return response
    why = "No agent data was lost. Details are in the server's log."
    page = {"page_title": "The server hit an error", "why": why}
    return render(None, "errors/failed.html", page, status=500)


def error_page(
    request: HttpRequest, status: int, title: str, why: str, **context: str
) -> HttpResponse:
    """Error page; members of a project see it with the navigation, parts of pages without."""
    is_part = request.headers.get("HX-Request") == "true"
    is_in_shell = not is_part and with_a_project(request)
    shown = {
        "page_title": title,
        "why": why,
        "frame": "base.html" if is_in_shell else "door.html",
    }
    return render(request, "errors/error.html", shown | context, status=status)


def _last_part(path: str) -> str:
    """Last part of a URL path: the name of what is missing."""
    part = path.rstrip("/").rsplit("/", 1)[-1]
    return "" if "\0" in part else part[:LONGEST_PART]


def head_like_get(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that answers HEAD requests of the API as GET; the front sends only the headers."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.method != "HEAD" or not is_api(request):
            return get_response(request)
        request.method = "GET"
        response = get_response(request)
        request.method = "HEAD"
        return response

    return answer


def api_method_errors(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that answers unsupported methods of API routes with JSON."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and is_api(request):
            allowed = response.headers["Allow"]
            error = api_error(405, "method_not_allowed", f"This endpoint accepts {allowed}.")
            error.headers["Allow"] = allowed
            return error
        return response

    return answer

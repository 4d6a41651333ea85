"""What goes wrong before a view is reached, or in it: JSON below the API, else a page."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from edictum_site.middleware import API_PREFIXES
from outcomes.models.faults import end_session_if_read_only


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIXES)


def api_error(
    status: int, code: str, detail: str, errors: Sequence[dict[str, Any]] = ()
) -> JsonResponse:
    return JsonResponse({"code": code, "detail": detail, "errors": list(errors)}, status=status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "errors/csrf.html", {"page_title": "Form expired"}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return api_error(404, "not_found", "There is nothing at this address.")
    return render(request, "errors/not_found.html", {"page_title": "Not found"}, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return api_error(400, "bad_request", "The request cannot be read.")
    return render(request, "errors/bad_request.html", {"page_title": "Bad request"}, status=400)


def too_many(request: HttpRequest) -> HttpResponse:
    return render(request, "errors/too_many.html", {"page_title": "Too many tries"}, status=429)


def failed(request: HttpRequest) -> HttpResponse:
    end_session_if_read_only(sys.exception())
    if is_api(request):
        return api_error(500, "failed", "Something went wrong here; the log tells what.")
    # Without the request: what failed may be what the shell of a page asks for.
    return render(None, "errors/failed.html", {"page_title": "Something went wrong"}, status=500)


def head_like_get(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """The API's routes know GET; who asks for the head alone is answered as them, and the front
    sends no more than that."""

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
    """A method that a route does not have is told as JSON too."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and is_api(request):
            allowed = response.headers["Allow"]
            told = api_error(405, "method_not_allowed", f"This address takes {allowed}.")
            told.headers["Allow"] = allowed
            return told
        return response

    return answer

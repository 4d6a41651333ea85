"""Public pages, because the wheel contains only what this repository publishes."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.clients.wheel import client_wheel
from governance.people.auth import console_address


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Download page, also for `pip install --find-links`."""
    wheel = client_wheel()
    context = {
        "page_title": "Client packages",
        "wheel": wheel,
        "wheel_address": wheel_address(request),
    }
    return render(request, "clients/index.html", context)


@require_safe
def download(request: HttpRequest, file: str) -> HttpResponse:
    wheel = client_wheel()
    if file != wheel.name:
        raise Http404
    response = HttpResponse(wheel.content, content_type="application/zip")
    response["Cache-Control"] = "public, max-age=300"
    response["ETag"] = f'"{wheel.sha256}"'
    return response


def wheel_address(request: HttpRequest) -> str:
    """Full URL of the wheel, for `pip install`."""
    path = reverse("governance:client_wheel", args=[client_wheel().name])
    return console_address(request) + path

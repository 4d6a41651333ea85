"""A part of a page under an address of its own: alone for the script, else in a page."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from governance.people.auth import MemberRequest


def shown_part(
    request: MemberRequest, part: str, page: str, context: dict[str, Any]
) -> HttpResponse:
    is_alone = request.headers.get("HX-Request") == "true"
    return render(request, part if is_alone else page, context | {"part": part, "alone": is_alone})

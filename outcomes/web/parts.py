"""Live parts of pages: own addresses, and tags that change with their content."""

from hashlib import sha256
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from governance.people.auth import MemberRequest


def shown_part(
    request: MemberRequest, part: str, page: str, context: dict[str, Any]
) -> HttpResponse:
    is_alone = request.headers.get("HX-Request") == "true"
    return render(request, part if is_alone else page, context | {"part": part, "alone": is_alone})


def hash_of(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16]

"""Answers as JSON that keeps what agents sent: numbers as they were, text in its own letters."""

from typing import Any

import msgspec
from django.http import HttpResponse


def answer(body: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(body), content_type="application/json", status=status)

"""Parts that routes of every room share: the one router, answers, request bodies, cursors."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from django.http import HttpResponse
from django.urls import register_converter
from django.urls.converters import PathConverter
from ninja import Router

from governance.core.errors import InvalidInput, Problem


def answer(body: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(body), content_type="application/json", status=status)


class Rest(PathConverter):
    """The rest of a path, line breaks too: an identifier may hold any of them."""

    regex = r"[\s\S]+"


register_converter(Rest, "rest")

router = Router()


def body(schema: dict[str, Any], media_type: str = "application/json") -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}


def _fields(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


# An item that is not as it must be is refused alone, and the answer says so.
OBJECTS: Final = {"type": "array", "maxItems": 10_000, "items": {}}
OUTCOMES: Final = body(_fields(outcomes=OBJECTS))
EVENTS: Final = body(_fields(events=OBJECTS))
KEY: Final = {"type": "string", "minLength": 1, "maxLength": 25_000}
KEYS: Final = body(_fields(keys={"type": "array", "maxItems": 1_000, "items": KEY}))
VALUE: Final = body(_fields(value={"type": "string"}))
# A counter that holds a text cannot be counted up.
COUNTED: Final = body(
    {"type": "object", "properties": {"amount": {"type": "number", "default": 1}}}
) | {"responses": {409: {}}}
PARTS: Final[dict[str, Any]] = {"responses": {416: {}}}
REPORT: Final = body({"type": "object"})
_SPANS: Final = {"type": "object", "properties": {"resourceSpans": {"type": "array"}}}
TRACES: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-protobuf": {"schema": {"type": "string", "format": "binary"}},
            "application/json": {"schema": _SPANS},
        },
    }
}
ARTIFACT: Final = body({"type": "string", "format": "binary"}, "application/octet-stream")


def cursor_at(at: datetime, number: int) -> str:
    return urlsafe_b64encode(f"{at.isoformat()} {number}".encode()).decode().rstrip("=")


def place_of(cursor: str) -> tuple[datetime, int]:
    try:
        text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
        at, number = text.rsplit(" ", 1)
        place = datetime.fromisoformat(at), int(number)
        # Lists give times in UTC only; one of another zone may lie where no database counts.
        if place[0].utcoffset() != timedelta(0) or abs(place[1]) >= 2**63:
            raise ValueError
    except ValueError:
        problem = Problem(path="cursor", message="Invalid cursor. Use that of the previous page.")
        raise InvalidInput(problem.message, errors=[problem]) from None
    return place

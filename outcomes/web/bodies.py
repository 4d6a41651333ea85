"""Bodies that are read without the framework, as the API's description names them."""

from typing import Any, Final


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
ARTIFACT: Final = body({"type": "string", "format": "binary"}, "application/octet-stream")

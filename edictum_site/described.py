"""OpenAPI description in which every operation lists the errors that it may return.

Most errors are derived from the operation's authentication and parameters. Others are declared at
the operation itself: `openapi_extra={"responses": {409: {}}}`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

ERROR: Final = "Error"
CODES: Final = {
    400: "The request is malformed.",
    401: "The key is missing, unknown, expired or revoked.",
    403: "The key or role doesn't allow it.",
    404: "Not found in this project.",
    408: "The body did not arrive in time.",
    409: "It conflicts with the current state.",
    413: "Too many bytes, items or values in one request.",
    415: "A Content-Encoding other than gzip.",
    416: "The range is beyond the end.",
    422: "A field, parameter or key is invalid. `errors` names it.",
    429: "A limit of the key is exceeded.",
    500: "Internal error; the server's log has the cause.",
    503: "The console is busy, stopping or can't reach its database. Try again.",
    507: "The disk for artifacts and request bodies is full.",
}
WITHOUT_BODY: Final = frozenset({416})
RETRY: Final = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
PLACE: Final = {
    "type": "object",
    "required": ["path", "line", "column", "message"],
    "properties": {
        "path": {"type": "string"},
        "line": {"type": ["integer", "null"]},
        "column": {"type": ["integer", "null"]},
        "message": {"type": "string"},
    },
}
SCHEMA: Final = {
    "title": ERROR,
    "description": "The body of every error. Programs should use the status and the code.",
    "type": "object",
    "required": ["code", "detail", "errors"],
    "properties": {
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "errors": {"type": "array", "items": PLACE},
    },
}


class DescribedAPI(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Name of the view function. Generated clients use it, so it must not change if a module
        moves."""
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        schema.setdefault("components", {}).setdefault("schemas", {})[ERROR] = SCHEMA
        for path, operations in schema["paths"].items():
            for method, operation in operations.items():
                _name_errors(method, path, operation)
        return schema


def _name_errors(method: str, path: str, operation: dict[str, Any]) -> None:
    answers = operation["responses"]
    named = {int(status) for status in answers if int(status) >= 400}
    for status in sorted({*named, *_errors(method, path, operation)}):
        if status in CODES and not answers.get(status):
            answers[status] = _answer(status)


def _errors(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[int]:
    yield from (400, 500, 503)
    named = operation.get("parameters", ())
    ways = operation.get("security", ())
    if ways:
        yield from (401, 403, 429)
    is_for_people = any(way != "KeyAuth" for each in ways for way in each)
    if "{" in path or is_for_people:
        yield 404  # also for the project that a browser names
    if named or is_for_people:
        yield 422
    if method in ("post", "put"):
        yield from (408, 413, 415, 422, 507)


def _answer(status: int) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": CODES[status]}
    if status not in WITHOUT_BODY:
        content = {"$ref": f"#/components/schemas/{ERROR}"}
        answer["content"] = {"application/json": {"schema": content}}
    if status == 503:
        answer["headers"] = RETRY
    return answer

"""OTLP/HTTP: posts of spans in protobuf or JSON, and responses in the same encoding."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from governance.core.json_value import Json
from outcomes.record.wire import BodyRefused
from outcomes.record.wire.body import unpacked
from outcomes.traces.domain.span import Span, Status

MAX_SPANS: Final = 10_000  # per post
_STATUS: Final = {1: Status.OK, 2: Status.ERROR}
_STATUS_NAMES: Final = {"STATUS_CODE_OK": Status.OK, "STATUS_CODE_ERROR": Status.ERROR}
_MALFORMED: Final = (
    *(TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError),
)
_LATEST: Final = 2**64  # nanoseconds
_KIND_NAMES: Final = {"SPAN_KIND_SERVER": 2}


class Encoding(StrEnum):
    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"


def encoding_of(content_type: str) -> Encoding:
    name = content_type.partition(";")[0].strip().lower()
    try:
        return Encoding(name)
    except ValueError:
        detail = f"Content-Type {name[:80]!r}: send application/x-protobuf or application/json."
        raise BodyRefused(415, "unknown_encoding", detail) from None


@dataclass(frozen=True, slots=True)
class Spans:
    """Valid spans of one post, and the number of malformed ones."""

    spans: list[Span]
    rejected: int
    message: str  # the first reason


def read_spans(body: bytes, *, encoding: Encoding, compression: str) -> Spans:
    body = unpacked(body, compression)
    spans: list[Span] = []
    reasons: list[str] = []
    for each in _protobuf_spans(body) if encoding is Encoding.PROTOBUF else _json_spans(body):
        if len(spans) + len(reasons) == MAX_SPANS:
            detail = f"A post may have at most {MAX_SPANS:,} spans. Send smaller batches."
            raise BodyRefused(413, "too_many_items", detail)
        if isinstance(each, Span):
            spans.append(each)
        else:
            reasons.append(each)
    return Spans(spans, len(reasons), reasons[0] if reasons else "")


def success(encoding: Encoding, *, rejected: int, message: str) -> bytes:
    """Response body; a partial success if spans were rejected."""
    if encoding is Encoding.JSON:
        partial = {"rejectedSpans": str(rejected), "errorMessage": message} if rejected else None
        return json.dumps({"partialSuccess": partial} if partial else {}).encode()
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service  # noqa: PLC0415

    response = service.ExportTraceServiceResponse()
    if rejected:
        response.partial_success.rejected_spans = rejected
        response.partial_success.error_message = message
    return bytes(response.SerializeToString())


def failure(message: str) -> bytes:
    """Protobuf `Status` with only a message, which is field 2."""
    text = message.encode()[:127]  # so that its length fits into one byte
    return b"\x12" + bytes([len(text)]) + text


def _protobuf_spans(body: bytes) -> Iterator[Span]:
    # Imported with the first post in this encoding: most installations never get one.
    from google.protobuf.message import DecodeError  # noqa: PLC0415
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service  # noqa: PLC0415

    try:
        request = service.ExportTraceServiceRequest.FromString(body)
    except DecodeError:
        detail = "The body is not an ExportTraceServiceRequest."
        raise BodyRefused(400, "bad_request", detail) from None
    for resource_spans in request.resource_spans:
        resource = _attributes(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                yield _span_of_message(span, resource)


def _span_of_message(span: Any, resource: Mapping[str, Json]) -> Span:
    exceptions = [_attributes(each.attributes) for each in span.events if each.name == "exception"]
    return Span(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        name=span.name,
        kind=span.kind,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        attributes=_attributes(span.attributes),
        resource=resource,
        status=_STATUS.get(span.status.code, Status.UNSET),
        status_message=span.status.message,
        exception=_exception(exceptions),
    )


def _attributes(pairs: Iterable[Any]) -> dict[str, Json]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Json:
    match value.WhichOneof("value"):
        case "string_value":
            text: str = value.string_value
            return text
        case "array_value":
            return [_value(each) for each in value.array_value.values]
        case "kvlist_value":
            return _attributes(value.kvlist_value.values)
        case "bytes_value":
            return str(value.bytes_value.hex())
        case None:
            return None
        case kind:
            number: Json = getattr(value, kind)
            return number


def _json_spans(body: bytes) -> Iterator[Span | str]:
    """Spans. A malformed one yields the reason instead, so that only it is rejected."""
    try:
        request = json.loads(body)
        resources = _list(request, "resourceSpans")
    except (ValueError, RecursionError):
        raise BodyRefused(400, "not_json", "The body is not valid JSON.") from None
    except (TypeError, AttributeError):
        detail = "The body is not an ExportTraceServiceRequest in JSON."
        raise BodyRefused(400, "bad_request", detail) from None
    for resource_spans in resources:
        try:
            resource = _json_attributes(_object(resource_spans, "resource"))
            scopes = _list(resource_spans, "scopeSpans")
            parts = [span for scope_spans in scopes for span in _list(scope_spans, "spans")]
        except _MALFORMED as error:
            yield _reason(error)
            continue
        for span in parts:
            try:
                yield _span_of_json(span, resource)
            except _MALFORMED as error:
                yield _reason(error)


def _reason(error: Exception) -> str:
    return f"Malformed span: {error!r}"[:400]


def _span_of_json(span: Mapping[str, Any], resource: Mapping[str, Json]) -> Span:
    status = _object(span, "status")
    exceptions = [
        _json_attributes(each) for each in _list(span, "events") if each.get("name") == "exception"
    ]
    code = status.get("code", 0)
    kind = span.get("kind", 0)
    return Span(
        trace_id=str(span["traceId"]).lower(),
        span_id=str(span["spanId"]).lower(),
        parent_id=str(span.get("parentSpanId") or "").lower(),
        name=str(span.get("name", "")),
        kind=_KIND_NAMES.get(kind, 0) if isinstance(kind, str) else int(kind),
        start_ns=_nanoseconds(span, "startTimeUnixNano"),
        end_ns=_nanoseconds(span, "endTimeUnixNano"),
        attributes=_json_attributes(span),
        resource=resource,
        status=_STATUS_NAMES.get(code) or _STATUS.get(code, Status.UNSET),
        status_message=str(status.get("message", "")),
        exception=_exception(exceptions),
    )


def _nanoseconds(span: Mapping[str, Any], name: str) -> int:
    at = int(span.get(name) or 0)
    if not 0 <= at < _LATEST:
        raise ValueError(f"{name} is out of range")
    return at


def _json_attributes(holder: Mapping[str, Any]) -> dict[str, Json]:
    return {pair["key"]: _json_value(pair.get("value")) for pair in _list(holder, "attributes")}


def _json_value(value: Any) -> Json:
    if not isinstance(value, dict):
        return None
    for kind, read in _JSON_VALUES.items():
        if kind in value:
            return read(value[kind])
    return None


_JSON_VALUES: Final[dict[str, Callable[[Any], Json]]] = {
    "stringValue": str,
    "boolValue": bool,
    "intValue": int,
    "doubleValue": float,
    "arrayValue": lambda array: [_json_value(each) for each in _list(array, "values")],
    "kvlistValue": lambda pairs: {
        pair["key"]: _json_value(pair.get("value")) for pair in _list(pairs, "values")
    },
    "bytesValue": str,
}


def _list(holder: Any, name: str) -> list[Any]:
    value = holder.get(name) or []
    if not isinstance(value, list):
        raise TypeError(f"{name} is not a list")
    return value


def _object(holder: Any, name: str) -> dict[str, Any]:
    value = holder.get(name) or {}
    if not isinstance(value, dict):
        raise TypeError(f"{name} is not an object")
    return value


def _exception(exceptions: list[dict[str, Json]]) -> str:
    """Message of the newest exception, else its type."""
    if not exceptions:
        return ""
    newest = exceptions[-1]
    return str(newest.get("exception.message") or newest.get("exception.type") or "")

"""Spans as exporters send them, in JSON and protobuf."""

import base64
import itertools
import json
from typing import Any

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service

TRACE = "5b8efff798038103d269b633813fc60c"
START = 1_795_000_000_000_000_000  # November 2026
_number = itertools.count(1)


def a_span(name: str = "execute_tool crm_lookup", **fields: Any) -> dict[str, Any]:
    """A GenAI tool span, unless attributes say otherwise."""
    attributes = fields.pop("attributes", None)
    if attributes is None:
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "crm_lookup"}
    span = {
        "traceId": TRACE,
        "spanId": f"{next(_number):016x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(START),
        "endTimeUnixNano": str(START + 41_500_000),
        "attributes": pairs(attributes),
    }
    return span | fields


def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": any_value(value)} for name, value in attributes.items()]


def any_value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(each) for each in value]}}
        case dict():
            return {"kvlistValue": {"values": pairs(value)}}
        case _:
            return {"stringValue": value}


def request(*spans: dict[str, Any], service_name: str = "billing-bot") -> dict[str, Any]:
    resource = {"attributes": pairs({"service.name": service_name})}
    return {
        "resourceSpans": [
            {"resource": resource, "scopeSpans": [{"scope": {"name": "t"}, "spans": list(spans)}]}
        ]
    }


def as_json(*spans: dict[str, Any], **fields: Any) -> bytes:
    return json.dumps(request(*spans, **fields)).encode()


def as_protobuf(*spans: dict[str, Any], **fields: Any) -> bytes:
    """The same spans as protobuf, whose generic JSON form has ids in Base64."""
    body = request(*spans, **fields)
    for resource_spans in body["resourceSpans"]:
        for scope_spans in resource_spans["scopeSpans"]:
            scope_spans["spans"] = [_in_base64(span) for span in scope_spans["spans"]]
    return bytes(ParseDict(body, service.ExportTraceServiceRequest()).SerializeToString())


def _in_base64(span: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in ("traceId", "spanId", "parentSpanId") if span.get(name)]
    ids = {name: base64.b64encode(bytes.fromhex(span[name])).decode() for name in names}
    return span | ids

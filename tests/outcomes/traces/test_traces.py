"""`POST traces` turns spans into calls with verdicts."""

import gzip
import json

import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service

from governance.models import Finding
from outcomes.ingest.commands import back_pressure
from outcomes.models import Batch, SpanTotal
from tests import builders
from tests.outcomes.posting import settle
from tests.outcomes.traces.spans import TRACE, a_span, as_json, as_protobuf, pairs, request
from tests.recount import differences

PROTOBUF, JSON = "application/x-protobuf", "application/json"
GEN_AI = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "crm_lookup"}


@pytest.fixture
def exporter(project):
    return builders.bearing(builders.a_key(project, "ingest")[0])


def send(client, *spans, encoding=PROTOBUF, **fields):
    body = (as_json if encoding == JSON else as_protobuf)(*spans, **fields)
    return client.post("/v1/traces", body, content_type=encoding)


@pytest.mark.parametrize("encoding", [PROTOBUF, JSON])
def test_a_tool_span_becomes_a_call_with_its_verdict(exporter, agent, encoding):
    span = a_span(
        attributes=GEN_AI
        | {
            "gen_ai.tool.call.id": "call_1",
            "gen_ai.tool.call.arguments": '{"account": "A-2056"}',
            "gen_ai.tool.call.result": '{"is_error": true, "message": "no such account"}',
            "gen_ai.conversation.id": "conv-7",
            "gen_ai.agent.name": "billing-bot",
            "enduser.id": "u-1",
        }
    )
    answer = send(exporter, span, encoding=encoding)
    assert answer.status_code == 200
    assert answer["Content-Type"] == encoding
    settle()
    call = agent.outcome(f"otel-{TRACE}-call_1")
    assert call["tool_name"] == "crm_lookup"
    assert call["tool_args"] == {"account": "A-2056"}
    assert call["output"] == {"is_error": True, "message": "no such account"}
    assert (call["session_id"], call["agent_id"]) == ("conv-7", "billing-bot")
    assert call["principal"] == {"user_id": "u-1"}
    assert call["elapsed_ms"] == 41.5
    assert (call["verdict"], call["decided_by"], call["reported"]) == ("failure", "default", None)
    assert differences() == []


def test_an_unset_status_has_no_verdict_and_ok_is_success(exporter, agent):
    send(
        exporter,
        a_span(attributes=GEN_AI | {"gen_ai.tool.call.id": "unset"}),
        a_span(attributes=GEN_AI | {"gen_ai.tool.call.id": "ok"}, status={"code": 1}),
    )
    settle()
    assert agent.outcome(f"otel-{TRACE}-unset")["verdict"] == "unknown"
    assert agent.outcome(f"otel-{TRACE}-ok")["verdict"] == "success"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"status": {"code": 2, "message": "SMTP 451"}}, "SMTP 451"),
        (
            {
                "status": {"code": 2},
                "events": [
                    {"name": "exception", "attributes": pairs({"exception.message": "refused"})}
                ],
            },
            "refused",
        ),
        ({"status": {"code": 2}}, "reported as failed"),
    ],
)
def test_an_error_status_is_a_failure_with_its_message(exporter, agent, fields, error):
    send(exporter, a_span(attributes=GEN_AI | {"gen_ai.tool.call.id": "c"}, **fields))
    settle()
    call = agent.outcome(f"otel-{TRACE}-c")
    assert (call["type"], call["error"], call["verdict"]) == ("failure", error, "failure")


def test_framework_client_and_server_spans_of_one_call_are_merged(exporter, agent):
    outer = a_span("crm", attributes={"openinference.span.kind": "TOOL", "tool.name": "crm"})
    mcp = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "crm"}
    client = a_span("tools/call crm", attributes=mcp, kind=3, parentSpanId=outer["spanId"])
    server = a_span(
        "tools/call crm",
        attributes=mcp | {"gen_ai.tool.call.result": '{"ok": false}'},
        kind=2,
        parentSpanId=client["spanId"],
    )
    send(exporter, client, outer)
    send(exporter, server, service_name="crm-server")  # another process
    settle()
    (call,) = agent.outcomes()
    assert call["call_id"] == f"otel-{TRACE}-{client['spanId']}"
    assert call["output"] == {"ok": False}
    assert differences() == []


def test_two_calls_of_the_same_tool_in_one_trace_stay_separate(exporter, agent):
    send(exporter, a_span(attributes=GEN_AI), a_span(attributes=GEN_AI))
    settle()
    assert len(agent.outcomes()) == 2


def test_a_repeated_post_is_deduplicated(exporter, agent):
    span = a_span(attributes=GEN_AI)
    send(exporter, span)
    send(exporter, span)
    settle()
    assert len(agent.outcomes()) == 1
    assert differences() == []


def test_a_call_inherits_session_and_agent_from_an_ancestor_span(exporter, agent):
    parent = a_span(
        "invoke_agent", attributes={"gen_ai.agent.name": "planner", "session.id": "s-9"}
    )
    send(exporter, parent, a_span(attributes=GEN_AI, parentSpanId=parent["spanId"]))
    settle()
    (call,) = agent.outcomes()
    assert (call["agent_id"], call["session_id"]) == ("planner", "s-9")


def test_without_a_conversation_the_trace_id_is_the_session_id(exporter, agent):
    send(exporter, a_span(attributes=GEN_AI))
    settle()
    (call,) = agent.outcomes()
    assert (call["agent_id"], call["session_id"]) == ("billing-bot", TRACE)


def test_non_tool_spans_are_counted_but_not_stored(project, exporter, pages):
    send(exporter, a_span("GET /", attributes={"http.method": "GET"}), a_span(attributes=GEN_AI))
    send(exporter, a_span("chat", attributes={"gen_ai.operation.name": "chat"}))
    total = SpanTotal.objects.get(project=project)
    assert (total.tool_spans, total.tool_calls, total.other_spans) == (1, 1, 2)
    assert Batch.objects.count() == 1
    page = pages.text("settings/opentelemetry/")
    assert "3 spans received, 1 tool call" in page
    assert "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://testserver/v1/traces" in page


def test_the_settings_page_without_spans_shows_an_empty_state(pages):
    assert "No spans received yet" in pages.text("settings/opentelemetry/")


def test_a_span_that_cannot_be_stored_returns_partial_success(exporter):
    bad = a_span(attributes=GEN_AI | {"gen_ai.tool.call.id": "nul\0"})
    answer = send(exporter, bad, a_span(attributes=GEN_AI))
    partial = service.ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert partial.rejected_spans == 1
    assert "NUL" in partial.error_message
    answer = send(exporter, bad, encoding=JSON)
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "1"


def test_a_gzip_body_is_decompressed(exporter):
    body = gzip.compress(as_protobuf(a_span()))
    answer = exporter.post(
        "/v1/traces", body, content_type=PROTOBUF, headers={"Content-Encoding": "gzip"}
    )
    assert answer.status_code == 200
    assert Batch.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"\xff\xff", PROTOBUF, 400),
        (b"{", JSON, 400),
        (b'{"resourceSpans": 5}', JSON, 400),
        (b"[1]", JSON, 400),
        (b"{}", "text/plain", 415),
    ],
)
def test_an_invalid_body_is_rejected(exporter, body, content_type, status):
    answer = exporter.post("/v1/traces", body, content_type=content_type)
    assert answer.status_code == status
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    "part",
    [
        {"scopeSpans": [{"spans": [{"name": "x"}]}]},
        {"scopeSpans": [{"spans": [a_span() | {"startTimeUnixNano": str(10**30)}]}]},
        {"scopeSpans": [{"spans": [a_span() | {"attributes": [{}]}]}]},
        {"scopeSpans": [{"spans": [a_span() | {"kind": {}}]}]},
        {"resource": 5},
        {"scopeSpans": 5},
        5,
    ],
)
def test_only_the_malformed_span_is_rejected(exporter, part):
    body = {"resourceSpans": [part, *request(a_span())["resourceSpans"]]}
    answer = exporter.post("/v1/traces", body, content_type=JSON)
    assert answer.status_code == 200
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "1"
    assert answer.json()["partialSuccess"]["errorMessage"].startswith("Malformed span")
    assert Batch.objects.get().items == 1


def test_an_empty_request_is_accepted(exporter):
    sent = exporter.generic("POST", "/v1/traces", b"", CONTENT_TYPE=PROTOBUF)
    assert sent.status_code == 200
    assert exporter.post("/v1/traces", b"{}", content_type=JSON).status_code == 200
    assert not SpanTotal.objects.exists()


def test_too_many_spans_in_one_post_are_rejected(exporter):
    spans = [a_span("GET /", attributes={})] * 10_001
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
    assert exporter.post("/v1/traces", body, content_type=JSON).status_code == 413


def test_a_cycle_of_parent_spans_is_accepted(exporter):
    one, two = a_span(attributes=GEN_AI), a_span(attributes=GEN_AI)
    one["parentSpanId"], two["parentSpanId"] = two["spanId"], one["spanId"]
    assert send(exporter, one, two).status_code == 200


def test_a_key_without_the_ingest_scope_cannot_post_spans(project):
    reader = builders.bearing(builders.a_key(project, "read")[0])
    assert send(reader, a_span()).status_code == 403


def test_a_full_inbox_returns_503_with_retry_after(exporter, settings):
    send(exporter, a_span())
    settings.INBOX_BYTES = 1
    back_pressure.forget()
    answer = send(exporter, a_span())
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0


def test_an_api_key_in_a_span_is_masked_and_reported(project, exporter, agent):
    leaked, _ = builders.a_key(project, "agent")
    span = a_span(attributes=GEN_AI | {"gen_ai.tool.call.result": f"KEY={leaked}"})
    send(exporter, span)
    settle()
    (call,) = agent.outcomes()
    assert leaked not in str(call)
    assert Finding.objects.get().kind == "key_sent_as_data"

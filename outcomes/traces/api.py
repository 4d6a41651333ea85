"""OpenTelemetry in: `POST traces` accepts what an OTLP/HTTP exporter sends."""

from django.http import HttpResponse

from governance.people.auth import AccessRequest, KeyAuth, spend_items
from governance.people.commands.key_findings import report_keys_in_data
from outcomes.ingest.commands import back_pressure
from outcomes.ingest.domain import Post
from outcomes.jobs import doorbell
from outcomes.record.wire import BodyRefused
from outcomes.traces.commands import AcceptedSpans, accept_spans
from outcomes.traces.wire import otlp
from outcomes.web.api import TRACES, router


@router.post("/traces", auth=KeyAuth("ingest"), response={200: None}, openapi_extra=TRACES)
def post_traces(request: AccessRequest) -> HttpResponse:
    """Tool spans become outcomes; other spans are accepted, counted and not stored."""
    encoding = otlp.encoding_of(request.headers.get("Content-Type", ""))
    try:
        accepted = _accept(request, encoding)
    except BodyRefused as error:
        if encoding is otlp.Encoding.JSON:
            raise
        return _refusal(error)
    content = otlp.success(encoding, rejected=accepted.rejected, message=accepted.message)
    return HttpResponse(content, content_type=encoding)


def _accept(request: AccessRequest, encoding: otlp.Encoding) -> AcceptedSpans:
    back_pressure.refuse_if_full(Post.OUTCOMES, request.auth.project_id)
    compression = request.headers.get("Content-Encoding", "")
    spans = otlp.read_spans(request.body, encoding=encoding, compression=compression)
    spend_items(request, request.auth, len(spans.spans))
    accepted = accept_spans(spans, access=request.auth)
    if accepted.post.accepted:
        doorbell.ring()
    report_keys_in_data(request.auth, accepted.post.sent_keys, agent="")
    return accepted


def _refusal(error: BodyRefused) -> HttpResponse:
    response = HttpResponse(
        otlp.failure(error.detail), content_type=otlp.Encoding.PROTOBUF, status=error.status
    )
    if error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    return response

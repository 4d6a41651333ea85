"""Ingest of OpenTelemetry spans: tool calls are accepted like outcomes, others only counted."""

from dataclasses import dataclass

import msgspec
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from governance.people.auth import Access
from outcomes.ingest.commands.accept import Accepted, accept
from outcomes.models import SpanTotal
from outcomes.record.wire import Body, Refusal
from outcomes.traces.domain.tool_calls import ToolCalls, tool_calls
from outcomes.traces.wire.otlp import Spans


@dataclass(frozen=True, slots=True)
class AcceptedSpans:
    post: Accepted
    rejected: int  # malformed spans, and tool calls with an invalid outcome
    message: str


def accept_spans(sent: Spans, *, access: Access) -> AcceptedSpans:
    """Commit the tool calls among these spans, then count all spans."""
    calls = tool_calls(sent.spans)
    post = accept(_body(calls), source="outcomes", access=access, agent="")
    reasons = [sent.message, *(refusal.detail for refusal in post.refusals)]
    _count(calls, len(post.refusals), sent.rejected, access)
    rejected = sent.rejected + len(post.refusals)
    return AcceptedSpans(post, rejected, next(filter(None, reasons), ""))


def _body(calls: ToolCalls) -> Body:
    items: list[tuple[int, bytes]] = []
    refusals: list[Refusal] = []
    for index, item in enumerate(calls.items):
        try:
            items.append((index, msgspec.json.encode(item)))
        except UnicodeEncodeError:
            detail = "A string in the span is not valid Unicode."
            refusals.append(Refusal(index, "lone_surrogate", detail, b""))
    return Body(items, refusals)


def _count(calls: ToolCalls, refused: int, malformed: int, access: Access) -> None:
    added = {
        "tool_spans": calls.tool_spans,
        "tool_calls": len(calls.items) - refused,
        "other_spans": calls.other_spans,
        "rejected_spans": refused + malformed,
    }
    if not any(added.values()):
        return
    day = {
        "project_id": access.project_id,
        "environment_id": access.environment_id,
        "day": timezone.now().date(),
    }
    with transaction.atomic():
        rows = SpanTotal.objects.filter(**day)
        if not rows.update(**{name: F(name) + number for name, number in added.items()}):
            # If several posts are the first of a day, only one inserts the row.
            SpanTotal.objects.bulk_create([SpanTotal(**day)], ignore_conflicts=True)
            rows.update(**{name: F(name) + number for name, number in added.items()})

"""Accept posts of spans: tool calls go the way of all outcomes, the others are counted."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from governance.people.auth import Access
from outcomes.ingest.commands.accept import Accepted, accept
from outcomes.models import SpanTotal
from outcomes.record.wire import Body, Refusal
from outcomes.traces.domain.span import Span
from outcomes.traces.domain.tool_calls import ToolCalls, tool_calls


@dataclass(frozen=True, slots=True)
class AcceptedSpans:
    post: Accepted
    rejected: int  # tool calls whose outcome is refused
    message: str


def accept_spans(spans: Sequence[Span], *, access: Access) -> AcceptedSpans:
    """Commit the tool calls among these spans, then count all."""
    calls = tool_calls(spans)
    post = accept(_body(calls), source="outcomes", access=access, agent="")
    first = post.refusals[0].detail if post.refusals else ""
    _count(calls, len(post.refusals), access)
    return AcceptedSpans(post, len(post.refusals), first)


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


def _count(calls: ToolCalls, rejected: int, access: Access) -> None:
    added = {
        "tool_spans": calls.tool_spans,
        "tool_calls": len(calls.items) - rejected,
        "other_spans": calls.other_spans,
        "rejected_spans": rejected,
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
            # Of several first posts of a day one makes the row.
            SpanTotal.objects.bulk_create([SpanTotal(**day)], ignore_conflicts=True)
            rows.update(**{name: F(name) + number for name, number in added.items()})

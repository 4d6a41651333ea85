"""OpenTelemetry span, reduced to what tool calls need."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from governance.core.json_value import Json

Attributes = Mapping[str, Json]
DEEPEST: Final = 64  # ancestors that are followed
SERVER: Final = 2  # span kind of the called side


class Status(StrEnum):
    UNSET = "unset"  # no verdict
    OK = "ok"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    trace_id: str  # hexadecimal, like all ids
    span_id: str
    parent_id: str
    name: str
    kind: int
    start_ns: int
    end_ns: int
    attributes: Attributes
    resource: Attributes
    status: Status
    status_message: str
    exception: str  # message, else type, of the newest exception event

    def text(self, *names: str) -> str:
        """First non-empty string among these attributes."""
        values = (self.attributes.get(name) for name in names)
        return next((value for value in values if isinstance(value, str) and value), "")


class Trace:
    """Spans of one post, linked to their ancestors."""

    def __init__(self, spans: list[Span]) -> None:
        self._by_id = {(span.trace_id, span.span_id): span for span in spans}

    def parent(self, span: Span) -> Span | None:
        return self._by_id.get((span.trace_id, span.parent_id))

    def lineage(self, span: Span) -> Iterator[Span]:
        """The span and its nearest ancestors. Limited, because senders may claim cycles."""
        current: Span | None = span
        for _ in range(DEEPEST):
            if current is None:
                return
            yield current
            current = self.parent(current)

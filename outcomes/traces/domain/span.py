"""A span of OpenTelemetry, as far as tool calls need it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from governance.core.json_value import Json

Attributes = Mapping[str, Json]
DEEPEST: Final = 64  # ancestors of a span
SERVER: Final = 2  # the kind of a span on the side that was called


class Status(StrEnum):
    UNSET = "unset"  # no verdict
    OK = "ok"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    trace_id: str  # hexadecimal, as all ids
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
    exception: str  # of the newest exception event: its message, or its type

    def text(self, *names: str) -> str:
        """The first of these attributes that is a text with something in it."""
        values = (self.attributes.get(name) for name in names)
        return next((value for value in values if isinstance(value, str) and value), "")


class Trace:
    """The spans of one post, by the way to their ancestors."""

    def __init__(self, spans: list[Span]) -> None:
        self._by_id = {(span.trace_id, span.span_id): span for span in spans}

    def parent(self, span: Span) -> Span | None:
        return self._by_id.get((span.trace_id, span.parent_id))

    def lineage(self, span: Span) -> Iterator[Span]:
        """The span and its nearest ancestors: a sender may claim a circle, or a chain of all."""
        current: Span | None = span
        for _ in range(DEEPEST):
            if current is None:
                return
            yield current
            current = self.parent(current)

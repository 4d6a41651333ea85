"""Encodes calls for the evaluation process, in batches that fit into a pipe."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias, TypeVar

from governance.evaluation.evaluator.messages import Evaluation, Judged, NotEvaluated

Result: TypeAlias = Evaluation | NotEvaluated
Judgement: TypeAlias = Judged | NotEvaluated | None  # None: the call passes every rule
Encoded: TypeAlias = bytes | NotEvaluated  # a call that can't be sent already has its result
Answer = TypeVar("Answer")

BATCH_CALLS = 250
BATCH_BYTES = 48 * 1024  # the next batch waits in the pipe, which holds 64 KiB
BATCH_RULES = 25_000  # calls times rules: an answer has an entry for each


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call to try against a contract; nothing is executed."""

    tool_name: str
    tool_args: Any = None  # any JSON; the library accepts objects only
    principal: dict[str, Any] | None = None
    output: str | None = None  # without it no post rule runs
    environment: str = "production"

    def encoded(self) -> Encoded:
        arguments = {} if self.tool_args is None else self.tool_args
        if not isinstance(arguments, dict):
            return NotEvaluated("invalid_call", "The arguments are not an object.")
        wire = [self.tool_name, arguments, self.principal, self.output, self.environment]
        try:
            return json.dumps(wire).encode()
        except (RecursionError, TypeError, ValueError) as error:
            return NotEvaluated("invalid_call", f"The call is not JSON: {error}")


@dataclass(slots=True)
class Batch:
    """Consecutive calls; those that can't be sent already have their results."""

    calls: list[Encoded] = field(default_factory=list)

    @property
    def encoded(self) -> list[bytes]:
        return [call for call in self.calls if isinstance(call, bytes)]

    def merged(self, results: Sequence[Answer]) -> Iterator[Answer | NotEvaluated]:
        """Results of all calls in order: those given, and those of calls that could not be sent."""
        given = iter(results)
        return (next(given) if isinstance(call, bytes) else call for call in self.calls)

    def split(self, at: int) -> tuple[Self, Self]:
        """Split the batch after this many sent calls."""
        places = [place for place, call in enumerate(self.calls) if isinstance(call, bytes)]
        cut = places[at]
        return type(self)(self.calls[:cut]), type(self)(self.calls[cut:])


def batches(calls: Iterable[Encoded], rules: int) -> Iterator[Batch]:
    most = max(1, min(BATCH_CALLS, BATCH_RULES // max(1, rules)))
    batch, size = Batch(), 0
    for encoded in calls:
        length = len(encoded) if isinstance(encoded, bytes) else 0
        if batch.calls and (len(batch.calls) == most or size + length > BATCH_BYTES):
            yield batch
            batch, size = Batch(), 0
        batch.calls.append(encoded)
        size += length
    if batch.calls:
        yield batch

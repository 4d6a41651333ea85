"""Searchable text of a call, secrets masked, and the terms that match it.

Limits bound a call's share of the index: text beyond them is shown but not searchable.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from governance.core.json_value import Json
from outcomes.record.call import Call
from outcomes.record.outcome import (
    NotReported,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)
from outcomes.search.domain.language import ANYTHING, NUMERIC, Op, Term
from outcomes.search.domain.words import contains

LONGEST_TEXT: Final = 4_000  # characters of one text
MOST_LEAVES: Final = 200  # values of the arguments, and as many of the output
DEEPEST: Final = 12
ERROR_NAMES: Final = frozenset({"error", "errors", "error_message"})

Scalar = str | int | float | bool | None
Leaf = tuple[str, Scalar]  # path and value


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Searchable parts of one call, masked."""

    call_id: str
    tool: str
    session: str
    principal: str
    error: str
    reason: str
    summary: str
    arguments: tuple[Leaf, ...]
    output: tuple[Leaf, ...]

    def leaves(self, field: str) -> tuple[Leaf, ...]:
        return self.arguments if field == "args" else self.output

    def texts(self) -> Iterator[str]:
        """All searchable texts of a call. Those that explain a failure come first."""
        yield from filter(None, (self.error, self.reason, self.summary))
        for _, value in (*self.output, *self.arguments):
            yield written(value)

    def errors(self) -> Iterator[str]:
        if self.error:
            yield self.error
        for path, value in self.output:
            if not ERROR_NAMES.isdisjoint(path.split(".")) and isinstance(value, str):
                yield value


def content_of(call: Call, principal: str) -> Content:
    outcome = call.outcome
    error = reason = summary = ""
    output: Json = None
    has_output = False
    match outcome:
        case ToolExecutionResult(output=given) if not isinstance(given, NotReported):
            output, has_output = given, True
        case ToolFailure(error=text):
            error = text[:LONGEST_TEXT]
        case ToolTimeout(deadline_s=deadline) if deadline is not None:
            error = f"deadline {written(deadline)} s"
        case ToolDenied(reason=kind, details=details):
            reason = f"{kind} {details}".strip()[:LONGEST_TEXT]
        case ToolArtifactReference(summary=text):
            summary = text[:LONGEST_TEXT]
        case _:
            pass
    if call.rule and isinstance(outcome, ToolDenied):
        reason = f"{call.rule} {reason}"
    return Content(
        call_id=call.call_id,
        tool=call.tool_name,
        session=call.session_id or "",
        principal=principal,
        error=error,
        reason=reason,
        summary=summary,
        arguments=leaves_of(call.tool_args) if call.tool_args is not None else (),
        output=leaves_of(output) if has_output else (),
    )


def leaves_of(value: Json) -> tuple[Leaf, ...]:
    leaves: list[Leaf] = []
    for leaf in _leaves(value, "", 0):
        leaves.append(leaf)
        if len(leaves) == MOST_LEAVES:
            break
    return tuple(leaves)


def written(value: Scalar) -> str:
    """A value as people would type it."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case _:
            return str(value)


def matches(term: Term, content: Content) -> bool:
    """Whether the term matches, before negation. Column terms always match here."""
    if not term.field:
        text = term.value.casefold()
        names = (content.call_id, content.tool, content.session, content.error, content.reason)
        return any(contains(each, term.value) for each in content.texts()) or any(
            text in name.casefold() for name in names
        )
    match term.field:
        case "error":
            return any(_fits_text(term, each) for each in content.errors())
        case "reason":
            return bool(content.reason) and _fits_text(term, content.reason)
        case "principal":
            return bool(content.principal) and _fits_name(term, content.principal)
        case "args" | "output":
            return any(fits_leaf(term, leaf) for leaf in content.leaves(term.field))
        case _:
            return True


def fits_leaf(term: Term, leaf: Leaf) -> bool:
    path, value = leaf
    if term.path and path.casefold() != term.path.casefold():
        return term.value == ANYTHING and path.casefold().startswith(f"{term.path.casefold()}.")
    if term.op in NUMERIC:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and compares(term.op, float(value or 0), term.number)
    if not term.path and term.op is Op.IS:
        return contains(written(value), term.value)
    return term.value == ANYTHING or _fits_text(term, written(value))


def compares(op: Op, value: float, bound: float) -> bool:
    match op:
        case Op.MORE:
            return value > bound
        case Op.LEAST:
            return value >= bound
        case Op.LESS:
            return value < bound
        case Op.MOST:
            return value <= bound
        case _:
            return value == bound


def _fits_text(term: Term, text: str) -> bool:
    if term.op is Op.CONTAINS:
        return term.value == ANYTHING or contains(text, term.value)
    return text.casefold() == term.value.casefold()


def _fits_name(term: Term, name: str) -> bool:
    if term.op is Op.CONTAINS:
        return term.value.casefold() in name.casefold()
    return term.value == ANYTHING or name.casefold() == term.value.casefold()


def _leaves(value: Json, path: str, depth: int) -> Iterator[Leaf]:
    match value:
        case dict() if depth < DEEPEST:
            for name, inner in value.items():
                yield from _leaves(inner, f"{path}.{name}" if path else str(name), depth + 1)
        case list() if depth < DEEPEST:
            for inner in value:
                yield from _leaves(inner, path, depth + 1)
        case str():
            yield path, value[:LONGEST_TEXT]
        case None | bool() | int() | float():
            yield path, value
        case _:
            return

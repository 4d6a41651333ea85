"""A document and what it said of calls so far: equal calls are asked about once."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

import msgspec

from governance.domain.document import Document
from governance.domain.json_value import Json
from governance.domain.plain_document import rules_in, values_of
from governance.engine import Evaluation, ToolCall
from outcomes.backtests.contents import Content
from outcomes.backtests.selecting import Row
from outcomes.domain.backtests.comparing import Answer, Decision
from outcomes.domain.backtests.reading import ToolReads, missing, reads_about, reads_of
from outcomes.domain.outcome import (
    NOT_REPORTED,
    NotReported,
    ToolArtifactReference,
    ToolExecutionResult,
)

REMEMBERED: Final = 40_000  # answers, of the calls that came last
TOOLS: Final = 10_000
ASKED_AT_ONCE: Final = 1_000
_HAS_OUTPUT: Final = (ToolExecutionResult.kind, ToolArtifactReference.kind)
_SIMPLE: Final = Answer()
_canonical = msgspec.json.Encoder(order="deterministic")


class Slot:
    """The place of one answer, filled when the evaluation process has told it."""

    __slots__ = ("answer", "missing", "unanswered")

    def __init__(self, answer: Answer | None = None, lacks: tuple[tuple[str, str], ...] = ()):
        self.answer = answer
        self.unanswered = ""  # why there is none
        self.missing = lacks


_NOTHING_SAID: Final = Slot(_SIMPLE)


class Book:
    def __init__(self, document: Document, *, notes_missing: bool = False) -> None:
        self.document = document
        self._notes_missing = notes_missing
        self._rules = reads_of(rules_in(values_of(document)))
        self._about: dict[str, ToolReads] = {}
        self._slots: dict[tuple[Any, ...], Slot] = {}
        self._waiting: list[tuple[Slot, ToolCall]] = []

    def about(self, tool: str) -> ToolReads:
        known = self._about.get(tool)
        if known is None:
            if len(self._about) >= TOOLS:
                self._about.clear()
            known = self._about[tool] = reads_about(self._rules, tool)
        return known

    def glance(self, row: Row, environment: str) -> Slot | None:
        """The answer, where the row alone tells which it is and it was asked for before."""
        about = self.about(row.tool)
        if not about.rules:
            return _NOTHING_SAID
        if about.principal or (about.output and row.kind in _HAS_OUTPUT):
            return None
        return self._slots.get((row.tool, environment, row.arguments))

    def find(self, row: Row, environment: str, content: Content) -> Slot:
        about = self.about(row.tool)
        if not about.rules:
            return _NOTHING_SAID
        asks_output = about.output and row.kind in _HAS_OUTPUT
        output = content.output if asks_output else NOT_REPORTED
        looked_at = (about.told_by(content.arguments, content.principal), _told(output))
        key = (row.tool, environment, asks_output, _digest(looked_at))
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self._ask(row, environment, content, has_output=asks_output)
        if not about.principal and not asks_output:
            self._slots[row.tool, environment, row.arguments] = slot
        if len(self._slots) > REMEMBERED:
            for old in list(self._slots)[: REMEMBERED // 2]:
                del self._slots[old]
        return slot

    def waiting(self) -> list[list[tuple[Slot, ToolCall]]]:
        """What is to be asked now, in pieces; whoever takes it asks."""
        pieces = [
            self._waiting[start : start + ASKED_AT_ONCE]
            for start in range(0, len(self._waiting), ASKED_AT_ONCE)
        ]
        self._waiting = []
        return pieces

    def _ask(self, row: Row, environment: str, content: Content, *, has_output: bool) -> Slot:
        about = self.about(row.tool)
        kept = has_output and not isinstance(content.output, NotReported)
        lacks: Iterable[tuple[str, str]] = ()
        if self._notes_missing:
            lacks = (
                (rule.id, what)
                for rule in about.rules
                for what in missing(rule, content.arguments, output=kept or not has_output)
            )
        slot = Slot(lacks=tuple(lacks))
        call = ToolCall(
            tool_name=row.tool,
            tool_args=content.arguments,
            principal=content.principal,
            # As the library makes text of what a tool returned, before its rules look at it.
            output=str(content.output) if kept else None,
            environment=environment,
        )
        self._waiting.append((slot, call))
        return slot


def answer_of(evaluation: Evaluation) -> Answer:
    """An agent stops at the first rule that fails; only after the tool ran do all of them count."""
    failed = [rule for rule in evaluation.rules if not rule.passed]
    if not failed:
        return _SIMPLE
    observed = tuple(rule.id for rule in failed if rule.observed and rule.type != "post")
    deciding = [rule for rule in failed if not rule.observed]
    for rule in deciding:
        if rule.type != "post":
            decision = Decision.ASKED if rule.action == "ask" else Decision.DENIED
            return Answer(decision, rule.id, observed=observed)
    output = evaluation.action
    by = [rule.id for rule in deciding if rule.action == output] or [rule.id for rule in deciding]
    return Answer(output=output, output_rule=by[0] if by else "", observed=observed)


def _told(output: Json | NotReported) -> list[Json]:
    """One that is null is another thing than none."""
    return [] if isinstance(output, NotReported) else [output]


def _digest(value: Any) -> bytes:
    return sha256(_canonical.encode(value)).digest()[:16]

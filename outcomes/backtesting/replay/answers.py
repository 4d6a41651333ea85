"""Cache of a contract's answers: equal calls are evaluated once."""

from hashlib import sha256
from typing import Any, Final, NamedTuple

from governance.evaluation.engine import Judged, Judgement, NotEvaluated, question
from governance.texts.document import Document
from governance.texts.plain_document import rules_in, values_of
from outcomes.backtesting.domain.comparison import Answer, Decision
from outcomes.backtesting.domain.rule_reads import reads_of
from outcomes.backtesting.replay.contents import Content
from outcomes.backtesting.replay.read_fields import FieldReader
from outcomes.backtesting.replay.rows import Row
from outcomes.record.outcome import ToolArtifactReference, ToolExecutionResult

REMEMBERED: Final = 40_000  # answers, the newest ones
TOOLS: Final = 10_000
_HAD_OUTPUT: Final = (ToolExecutionResult.kind, ToolArtifactReference.kind)
_LONG: Final = 100  # bytes
SIMPLE: Final = Answer()
PAYLOAD_REMOVED: Final = "payload_removed"


class Slot:
    """Slot for one answer, filled when the evaluation process returns it."""

    __slots__ = ("answer", "missing", "unanswered")

    def __init__(self, answer: Answer | None = None, lacks: tuple[tuple[str, str], ...] = ()):
        self.answer = answer
        self.unanswered = ""  # why there is none
        self.missing = lacks

    def fill(self, judged: Judgement) -> None:
        if isinstance(judged, NotEvaluated):
            self.unanswered = judged.code
        else:
            self.answer = answer_of(judged)


class Waiting(NamedTuple):
    """Questions with the slots of their answers."""

    slots: list[Slot]
    questions: list[bytes]


_NO_RULES: Final = Slot(SIMPLE)


class Book:
    def __init__(self, document: Document, *, notes_missing: bool = False) -> None:
        self.document = document
        self._notes_missing = notes_missing
        self._rules = reads_of(rules_in(values_of(document)))
        self._readers: dict[str, FieldReader] = {}
        self._slots: dict[tuple[Any, ...], Slot] = {}
        self._waiting = Waiting([], [])

    def glance(self, row: Row, environment: str) -> Slot | None:
        """Cached answer if the row alone determines it, else None."""
        reader = self._readers.get(row.tool) or self._reader_of(row.tool)
        if not reader.rules:
            return _NO_RULES
        if reader.principal:
            return None
        lacks_output = False
        if reader.output and row.kind in _HAD_OUTPUT:
            if row.has_output:
                return None
            lacks_output = True
        arguments = row.arguments if reader.any_arguments else None
        return self._slots.get((row.tool, environment, lacks_output, arguments))

    def find(self, row: Row, environment: str, content: Content) -> Slot:
        reader = self._readers.get(row.tool) or self._reader_of(row.tool)
        if not reader.rules:
            return _NO_RULES
        if content.is_removed:
            return _lost()
        had_output = reader.output and row.kind in _HAD_OUTPUT
        output = content.output if had_output else None
        lacks_output = had_output and output is None
        digest = reader.key_of(content)
        if output is not None:
            digest = b"\0".join([digest, output])
        if len(digest) > _LONG:
            digest = sha256(digest).digest()
        key = (row.tool, environment, lacks_output, output is not None, digest)
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self._ask(
                reader,
                row.tool,
                environment,
                content._replace(output=output),
                lacks_output=lacks_output,
            )
        if not reader.principal and output is None:
            arguments = row.arguments if reader.any_arguments else None
            self._slots[row.tool, environment, lacks_output, arguments] = slot
        if len(self._slots) > REMEMBERED:
            for old in list(self._slots)[: REMEMBERED // 2]:
                del self._slots[old]
        return slot

    def waiting(self) -> Waiting:
        """Remove and return the open questions, for the caller to send."""
        waiting, self._waiting = self._waiting, Waiting([], [])
        return waiting

    def _reader_of(self, tool: str) -> FieldReader:
        if len(self._readers) >= TOOLS:
            self._readers.clear()
        reader = self._readers[tool] = FieldReader(self._rules, tool)
        return reader

    def _ask(
        self,
        reader: FieldReader,
        tool: str,
        environment: str,
        content: Content,
        *,
        lacks_output: bool,
    ) -> Slot:
        lacks = reader.lacks(content, output=not lacks_output) if self._notes_missing else ()
        slot = Slot(lacks=lacks)
        posted = question(
            tool,
            environment,
            content.arguments or b"{}",
            content.principal or b"null",
            content.output,
        )
        self._waiting.slots.append(slot)
        self._waiting.questions.append(posted)
        return slot


def _lost() -> Slot:
    """Slot of a call whose rules read data that retention removed: the call is left out, never
    guessed."""
    slot = Slot()
    slot.unanswered = PAYLOAD_REMOVED
    return slot


def answer_of(judged: Judged | None) -> Answer:
    """Answer from the failed rules. Before the tool runs, the first failed rule decides; after it
    ran, all of them count."""
    if judged is None:
        return SIMPLE
    failed = judged.failed
    observed = tuple(rule.id for rule in failed if rule.observed and rule.type != "post")
    deciding = [rule for rule in failed if not rule.observed]
    for rule in deciding:
        if rule.type != "post":
            decision = Decision.NEEDS_APPROVAL if rule.action == "ask" else Decision.DENIED
            return Answer(decision, rule.id, observed=observed)
    output = judged.action
    by = [rule.id for rule in deciding if rule.action == output] or [rule.id for rule in deciding]
    return Answer(output=output, output_rule=by[0] if by else "", observed=observed)

"""Validates and evaluates contracts in a separate process, which may hang or crash harmlessly."""

import os
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias
from weakref import WeakSet

from governance.core.errors import (
    CallInvalid,
    DocumentInvalid,
    EvaluationEnded,
    EvaluationLimit,
    EvaluationUnavailable,
    Problem,
)
from governance.evaluation.engine.calls import Result, ToolCall
from governance.evaluation.engine.process import (
    IDLE_SECONDS,
    MEMORY,
    Ended,
    Lost,
    NoAnswer,
    PendingReply,
    Process,
)
from governance.evaluation.engine.requests import Asker
from governance.evaluation.evaluator.messages import (
    STOPPED,
    Evaluate,
    Evaluation,
    Explain,
    Explanation,
    Judge,
    Judged,
    Judgements,
    Load,
    Loaded,
    Need,
    NotEvaluated,
    Read,
    Reading,
    Reply,
    Request,
    Results,
    SessionRule,
)
from governance.evaluation.wording import problems
from governance.texts.dialect import Dialect
from governance.texts.document import MAX_BYTES, Document, read_document
from governance.texts.source_text import decoded

Source: TypeAlias = Document | bytes | str

CALL_SECONDS = 0.5  # CPU seconds for one call
LOAD_SECONDS = 8.0  # CPU seconds for one document, including pattern trials
BASE_SECONDS = 2.0  # wall-clock seconds until the process is killed; higher, as the CPU is shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    name: str = ""
    rules: int = 0
    session_rules: tuple[SessionRule, ...] = ()
    dialect: Dialect | None = None  # None if the text can't be parsed

    @property
    def valid(self) -> bool:
        return not self.errors


class Engine:
    """One evaluation process, started on demand and ended when idle. Thread-safe."""

    _lock: threading.Lock
    _process: Process | None
    _loaded: dict[str, int]  # rule counts of the documents that the process has loaded

    def __init__(
        self,
        *,
        memory: int = MEMORY,
        call_seconds: float = CALL_SECONDS,
        load_seconds: float = LOAD_SECONDS,
        base_seconds: float = BASE_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
        cores: Collection[int] = (),
    ) -> None:
        self._cores = cores
        self._memory = memory
        self._call_seconds = call_seconds
        self._load_seconds = load_seconds
        self._base_seconds = base_seconds
        self._idle_seconds = idle_seconds
        self.starts = 0  # process starts
        self._begin()
        _engines.add(self)

    @property
    def pid(self) -> int | None:
        """Id of the current process; None before the first request."""
        return self._process.pid if self._process is not None else None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.is_alive()

    def knows(self, document: Document) -> bool:
        """Whether the process is running and has loaded this document."""
        return self.is_running and document.sha in self._loaded

    def validate(self, source: Source, *, tools: Collection[str] | None = None) -> Validation:
        """Validate a document. With all tools ever seen, also warn about names that match none of
        them."""
        try:
            text = text_of(source)
        except DocumentInvalid as refused:
            return Validation(errors=refused.errors)
        names = None if tools is None else list(tools)
        request = Read(text, names, self._load_seconds, self._seconds_to_load(text))
        with self._lock:
            reply = self._answer(request)
            if isinstance(reply, Reading) and not reply.errors:
                self._loaded[reply.sha] = reply.rules
        match reply:
            case Reading():
                return Validation(
                    errors=tuple(reply.errors),
                    warnings=tuple(reply.warnings),
                    name=reply.name,
                    rules=reply.rules,
                    session_rules=tuple(reply.session_rules),
                    dialect=reply.dialect,
                )
            case NotEvaluated():
                raise _refusal(reply)
            case _:
                raise EvaluationUnavailable("The evaluation process sent an unexpected answer.")

    def evaluate(self, source: Source, calls: Iterable[ToolCall]) -> list[Result]:
        """One result per call. A call over budget gets an error result and affects no other."""
        return list(self.evaluate_each(source, calls))

    def evaluate_each(self, source: Source, calls: Iterable[ToolCall]) -> Iterator[Result]:
        """Results of `evaluate` as they arrive. Only a few batches are in memory at a time."""
        document = read(source)
        with self._lock:
            rules = self._rules_of(document)
        encoded = (call.encoded() for call in calls)
        asking = _AskingOf(self, document, rules, Evaluate)
        return Asker[Evaluation](asking, encoded, Results, rules=rules).results()

    def judge(self, source: Source, questions: Sequence[bytes]) -> Asker[Judged | None]:
        """Start evaluating what an agent would do in each of these calls, without waiting. Read the
        answers from the `results()` of the returned `Asker`; `question` encodes the calls."""
        document = read(source)
        with self._lock:
            rules = self._rules_of(document)
        asking = _AskingOf(self, document, rules, Judge)
        everything = len(questions) + 1  # batches
        asker = Asker[Judged | None](asking, questions, Judgements, rules=rules, ahead=everything)
        asker.push()
        return asker

    def evaluate_call(self, source: Source, call: ToolCall) -> Evaluation:
        (result,) = self.evaluate(source, [call])
        if isinstance(result, NotEvaluated):
            raise _refusal(result)
        return result

    def explain(self, source: Source, call: ToolCall) -> Explanation:
        """Result of `evaluate_call`, with every rule of the document and what it read."""
        document = read(source)
        encoded = call.encoded()
        if isinstance(encoded, NotEvaluated):
            raise _refusal(encoded)
        with self._lock:
            rules = self._rules_of(document)
            seconds = self._base_seconds + rules * 0.001
            request = Explain(document.sha, encoded, self._call_seconds, seconds)
            reply = self._answer(request)
            if isinstance(reply, Need):
                self._load(document)
                reply = self._answer(request)
        match reply:
            case Explanation():
                return reply
            case NotEvaluated():
                raise _refusal(reply)
            case _:
                raise EvaluationUnavailable("The evaluation process sent an unexpected answer.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
            self._process = None

    def _rules_of(self, document: Document) -> int:
        if (known := self._loaded.get(document.sha)) is not None:
            return known
        loaded = self._load(document)
        if loaded.errors:
            raise DocumentInvalid(problems(loaded.errors, document))
        return loaded.rules

    def _load(self, document: Document) -> Loaded:
        text = document.new_text
        seconds = self._seconds_to_load(text)
        reply = self._answer(Load(document.sha, text, self._load_seconds, seconds))
        if isinstance(reply, NotEvaluated):
            raise _refusal(reply)
        if not isinstance(reply, Loaded):
            raise EvaluationUnavailable("The evaluation process sent an unexpected answer.")
        if not reply.errors:
            self._loaded[document.sha] = reply.rules
        return reply

    def _seconds_to_load(self, text: str) -> float:
        # The largest documents take 3 to 4 seconds on an idle machine. This timeout is for a
        # process that hangs: a busy one is ended by its CPU time budget.
        return self._base_seconds + 1 + len(text) / 16_384

    def _answer(self, request: Request) -> Reply:
        try:
            try:
                return self._ask(request).answer()
            except Lost:
                return self._ask(request).answer()
        except Ended as error:
            raise EvaluationEnded(f"{STOPPED}{error}") from error
        except NoAnswer as error:
            raise EvaluationLimit(f"{STOPPED}{error}") from error

    def _ask(self, request: Request) -> PendingReply:
        if self._process is None or not self._process.is_alive():
            self._process = self._started()
        return self._process.ask(request)

    def _started(self) -> Process:
        if self._process is not None:
            self._process.kill()  # already dead, or nearly: this closes its pipes
            self._process = None
        self._loaded.clear()
        self.starts += 1
        try:
            return Process(memory=self._memory, idle_seconds=self._idle_seconds, cores=self._cores)
        except (NoAnswer, OSError) as error:
            detail = f"The evaluation process could not be started: {error}"
            raise EvaluationUnavailable(detail) from error

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = None
        self._loaded = {}

    def _after_fork(self) -> None:
        if self._process is not None:
            self._process.let_go()
        self._begin()


class _Locked:
    """An answer that other threads may wait for too: one thread reads the pipe at a time."""

    def __init__(self, pending: PendingReply, lock: threading.Lock) -> None:
        self._pending, self._lock = pending, lock

    def answer(self) -> Reply:
        with self._lock:
            return self._pending.answer()


class _AskingOf:
    """Requests to one engine about one document."""

    def __init__(
        self,
        engine: Engine,
        document: Document,
        rules: int,
        question: type[Evaluate] | type[Judge],
    ) -> None:
        self._engine, self._document, self._rules = engine, document, rules
        self._sha, self._question = document.sha, question

    def ask(self, calls: list[bytes], *, patient: bool) -> _Locked:
        engine = self._engine
        seconds = engine._base_seconds + len(calls) * (0.001 + self._rules * 0.000_02)
        patience = engine._call_seconds if patient else engine._call_seconds / 5
        with engine._lock:
            pending = engine._ask(self._question(self._sha, calls, patience, seconds))
        return _Locked(pending, engine._lock)

    def push(self) -> None:
        with self._engine._lock:
            if self._engine._process is not None:
                self._engine._process.push()

    def load(self) -> None:
        with self._engine._lock:
            self._engine._load(self._document)


def read(source: Source) -> Document:
    return source if isinstance(source, Document) else read_document(source)


def text_of(source: Source) -> str:
    return source.text if isinstance(source, Document) else decoded(source, at_most=MAX_BYTES)


def _refusal(result: NotEvaluated) -> EvaluationLimit | CallInvalid:
    refused = EvaluationLimit if result.code == "evaluation_limit" else CallInvalid
    return refused(result.detail)


_engines: WeakSet[Engine] = WeakSet()


def _after_fork() -> None:
    """Reset engines in the child: two processes on one pair of pipes would mix up their answers."""
    for engine in list(_engines):
        engine._after_fork()


os.register_at_fork(after_in_child=_after_fork)

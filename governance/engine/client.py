"""Contracts validated and evaluated in a process that may hang or die without harm to anybody."""

import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self, TypeAlias

from governance.domain.dialect import Dialect
from governance.domain.document import Document, read_document
from governance.domain.errors import (
    CallInvalid,
    DocumentInvalid,
    EvaluationLimit,
    EvaluationUnavailable,
    Problem,
)
from governance.engine.process import IDLE_SECONDS, MEMORY, NoAnswer, Process
from governance.engine.wording import problems
from governance.evaluator.messages import (
    Evaluate,
    Evaluation,
    Explain,
    Explanation,
    Load,
    Loaded,
    Need,
    NotEvaluated,
    Reply,
    Request,
    Results,
    SessionRule,
)

Source: TypeAlias = Document | bytes | str
Result: TypeAlias = Evaluation | NotEvaluated

BATCH_CALLS = 250
BATCH_BYTES = 8 * 1024 * 1024
BATCH_RULES = 25_000  # calls times rules: an answer has a line for each
PATIENCE = 16  # processes that one list of calls may cost before its slow batches are given up


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call to try against a contract; nothing is executed."""

    tool_name: str
    tool_args: Any = None  # any JSON; the library takes objects only
    principal: dict[str, Any] | None = None
    output: str | None = None  # without it no post rule is asked
    environment: str = "production"


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    name: str = ""
    rules: int = 0
    session_rules: tuple[SessionRule, ...] = ()
    dialect: Dialect | None = None  # none when the text cannot even be read

    @property
    def valid(self) -> bool:
        return not self.errors


class Engine:
    """One evaluation process, started when asked, ended when idle; threads may share it."""

    _lock: threading.Lock
    _process: Process | None
    _loaded: dict[str, int]  # the rules of each document that the process was given

    def __init__(
        self,
        *,
        memory: int = MEMORY,
        base_seconds: float = 1.0,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._memory = memory
        self._base_seconds = base_seconds
        self._idle_seconds = idle_seconds
        self._begin()
        # Two processes on one pair of pipes would read each other's answers.
        os.register_at_fork(after_in_child=self._after_fork)

    @property
    def pid(self) -> int | None:
        """Of the process as it is now; none before the first question."""
        return self._process.pid if self._process is not None else None

    def validate(self, source: Source) -> Validation:
        try:
            document = _read(source)
        except DocumentInvalid as refused:
            return Validation(errors=refused.errors)
        with self._lock:
            loaded = self._load(document)
        return Validation(
            errors=problems(loaded.errors, document),
            warnings=problems(loaded.warnings, document),
            name=loaded.name,
            rules=loaded.rules,
            session_rules=tuple(loaded.session_rules),
            dialect=document.dialect,
        )

    def evaluate(self, source: Source, calls: Sequence[ToolCall]) -> list[Result]:
        """One result per call. A call that costs too much is marked, and costs no other its own."""
        document = _read(source)
        results: list[Result | None] = [None] * len(calls)
        waiting: list[tuple[int, bytes]] = []
        for place, call in enumerate(calls):
            encoded = _encoded(call)
            if isinstance(encoded, bytes):
                waiting.append((place, encoded))
            else:
                results[place] = encoded
        for place, result in self._evaluated(document, waiting):
            results[place] = result
        return [result for result in results if result is not None]

    def evaluate_call(self, source: Source, call: ToolCall) -> Evaluation:
        match self.evaluate(source, [call])[0]:
            case NotEvaluated(code="evaluation_limit", detail=detail):
                raise EvaluationLimit(detail)
            case NotEvaluated(detail=detail):
                raise CallInvalid(detail)
            case Evaluation() as evaluation:
                return evaluation

    def explain(self, source: Source, call: ToolCall) -> Explanation:
        """What `evaluate_call` says, with every rule of the document and what it saw."""
        document = _read(source)
        encoded = _encoded(call)
        if isinstance(encoded, NotEvaluated):
            raise CallInvalid(encoded.detail)
        with self._lock:
            rules = self._rules_of(document)
            try:
                seconds = self._base_seconds + rules * 0.001
                reply = self._ask_of(document, Explain(_sha(document), encoded, seconds))
            except NoAnswer as error:
                raise EvaluationLimit(_limit(error)) from error
        match reply:
            case Explanation():
                return reply
            case NotEvaluated(detail=detail):
                raise CallInvalid(detail)
            case _:
                raise EvaluationUnavailable("The evaluation process answered something else.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
            self._process = None

    def _evaluated(
        self, document: Document, waiting: Sequence[tuple[int, bytes]]
    ) -> Iterator[tuple[int, Result]]:
        with self._lock:
            rules = self._rules_of(document)
        patience = PATIENCE
        batches = list(_batches(waiting, rules))
        while batches:
            batch = batches.pop()
            try:
                results = self._evaluate_batch(document, [encoded for _, encoded in batch])
            except NoAnswer as error:
                patience -= 1
                if len(batch) > 1 and patience > 0:
                    half = len(batch) // 2
                    batches += [batch[half:], batch[:half]]
                    continue
                results = [NotEvaluated("evaluation_limit", _limit(error))] * len(batch)
            yield from zip((place for place, _ in batch), results, strict=True)

    def _evaluate_batch(self, document: Document, calls: list[bytes]) -> list[Result]:
        with self._lock:
            rules = self._rules_of(document)
            seconds = self._base_seconds + len(calls) * (0.001 + rules * 0.000_02)
            reply = self._ask_of(document, Evaluate(_sha(document), calls, seconds))
            if not isinstance(reply, Results) or len(reply.results) != len(calls):
                raise NoAnswer("It answered something else.")
            return reply.results

    def _ask_of(self, document: Document, request: Evaluate | Explain) -> Reply:
        reply = self._ask(request)
        if isinstance(reply, Need):
            self._load(document)
            reply = self._ask(request)
        return reply

    def _rules_of(self, document: Document) -> int:
        if (known := self._loaded.get(_sha(document))) is not None:
            return known
        loaded = self._load(document)
        if loaded.errors:
            raise DocumentInvalid(problems(loaded.errors, document))
        return loaded.rules

    def _load(self, document: Document) -> Loaded:
        text = document.new_text
        # A document of the largest size takes 2 to 3 seconds on a quiet machine.
        seconds = self._base_seconds + 1 + len(text) / 32_768
        try:
            reply = self._ask(Load(_sha(document), text, seconds))
        except NoAnswer as error:
            raise EvaluationLimit(_limit(error)) from error
        if not isinstance(reply, Loaded):
            raise EvaluationUnavailable("The evaluation process answered something else.")
        if not reply.errors:
            self._loaded[_sha(document)] = reply.rules
        return reply

    def _ask(self, request: Request) -> Reply:
        if self._process is None or not self._process.is_alive():
            self._process = self._started()
        try:
            return self._process.ask(request)
        except NoAnswer:
            self._process = None
            raise

    def _started(self) -> Process:
        if self._process is not None:
            self._process.kill()  # dead already, or nearly: this lets go of its pipes
        self._loaded.clear()
        try:
            return Process(memory=self._memory, idle_seconds=self._idle_seconds)
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


def _read(source: Source) -> Document:
    return source if isinstance(source, Document) else read_document(source)


def _sha(document: Document) -> str:
    return sha256(document.new_text.encode()).hexdigest()


def _limit(error: NoAnswer) -> str:
    return f"Evaluating this was stopped to protect everybody else: {error}"


def _encoded(call: ToolCall) -> bytes | NotEvaluated:
    arguments = {} if call.tool_args is None else call.tool_args
    if not isinstance(arguments, dict):
        return NotEvaluated("invalid_call", "The arguments are not an object.")
    wire = [call.tool_name, arguments, call.principal, call.output, call.environment]
    try:
        return json.dumps(wire).encode()
    except (RecursionError, TypeError, ValueError) as error:
        return NotEvaluated("invalid_call", f"The call is not JSON: {error}")


def _batches(waiting: Sequence[tuple[int, bytes]], rules: int) -> Iterator[list[tuple[int, bytes]]]:
    most = max(1, min(BATCH_CALLS, BATCH_RULES // max(1, rules)))
    batch: list[tuple[int, bytes]] = []
    size = 0
    for place, encoded in waiting:
        if batch and (len(batch) == most or size + len(encoded) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((place, encoded))
        size += len(encoded)
    if batch:
        yield batch

"""A list of calls on its way through an evaluation process, always one batch ahead of the answers.

A call that is stopped, or that costs the process its life, costs no other call its result.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Protocol

from governance.engine.calls import Batch, Result, ToolCall, batches
from governance.engine.process import Lost, NoAnswer
from governance.evaluator.messages import STOPPED, Need, NotEvaluated, Reply, Results

AHEAD = 2  # batches: the process has one more when it is done with one
PATIENCE = 16  # stopped calls and killed processes, before the rest of such a batch is given up


class Answering(Protocol):
    def answer(self) -> Reply: ...


class Asking(Protocol):
    """What it takes of an engine: it knows the document, this knows the calls."""

    def ask(self, calls: list[bytes], *, patient: bool) -> Answering: ...

    def load(self) -> None: ...


class Asker:
    def __init__(self, engine: Asking, calls: Iterable[ToolCall], *, rules: int) -> None:
        self._engine = engine
        self._waiting = batches(calls, rules)
        self._ahead: deque[tuple[Batch, Answering]] = deque()
        self._patience = PATIENCE

    def results(self) -> Iterator[Result]:
        """In the order of the calls."""
        while self._look_ahead():
            batch, asked = self._ahead.popleft()
            try:
                reply = asked.answer()
            except Lost:
                self._ask_first(batch)
                continue
            except NoAnswer as error:
                yield from self._in_halves(batch, str(error))
                continue
            match reply:
                case Results(results=results) if 0 < len(results) <= len(batch.encoded):
                    yield from self._up_to_a_stopped_call(batch, results)
                case Need():
                    self._engine.load()
                    self._ask_first(batch)
                case _:
                    yield from self._in_halves(batch, "It answered something else.")

    def _look_ahead(self) -> bool:
        while len(self._ahead) < AHEAD and (batch := next(self._waiting, None)) is not None:
            self._ahead.append((batch, self._ask(batch)))
        return bool(self._ahead)

    def _ask(self, batch: Batch) -> Answering:
        return self._engine.ask(batch.encoded, patient=self._patience > 0)

    def _ask_first(self, *batches: Batch) -> None:
        asked = [(batch, self._ask(batch)) for batch in batches]
        self._ahead.extendleft(reversed(asked))

    def _up_to_a_stopped_call(self, batch: Batch, results: list[Result]) -> Iterator[Result]:
        missing = len(batch.encoded) - len(results)
        if missing:
            self._patience -= 1
        if missing and self._patience > 0:
            batch, rest = batch.split(len(results))
            self._ask_first(rest)
            missing = 0
        return batch.merged([*results, *_given_up("Too many calls took too long.", missing)])

    def _in_halves(self, batch: Batch, why: str) -> Iterator[Result]:
        self._patience -= 1
        length = len(batch.encoded)
        if length <= 1 or self._patience <= 0:
            return batch.merged(_given_up(why, length))
        self._ask_first(*batch.split(length // 2))
        return iter(())


def _given_up(why: str, calls: int) -> list[Result]:
    return [NotEvaluated("evaluation_limit", STOPPED + why)] * calls

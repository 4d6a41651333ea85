"""Sends a list of calls through an evaluation process, always one batch ahead of the answers.

A call that is stopped, or that crashes the process, doesn't affect the results of other calls.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Generic, Protocol, TypeVar, cast

from governance.evaluation.engine.calls import Batch, Encoded, batches
from governance.evaluation.engine.process import Ended, Lost, NoAnswer
from governance.evaluation.evaluator.messages import (
    STOPPED,
    Judgements,
    Need,
    NotEvaluated,
    Reply,
    Results,
)

Answer = TypeVar("Answer")

AHEAD = 2  # batches: the process always has another one to start
RETRIES = 2  # retries after the process ended, before searching for the call that ends it
PATIENCE = 16  # stopped calls and killed processes, before the rest of a batch is given up


class Answering(Protocol):
    def answer(self) -> Reply: ...


class Asking(Protocol):
    """Access to one document of an engine."""

    def ask(self, calls: list[bytes], *, patient: bool) -> Answering: ...

    def push(self) -> None: ...

    def load(self) -> None: ...


class Asker(Generic[Answer]):
    """Prefetching client for a list of calls. `replies` is the reply type, with one answer per
    call."""

    def __init__(
        self,
        engine: Asking,
        calls: Iterable[Encoded],
        replies: type[Results] | type[Judgements],
        *,
        rules: int,
        ahead: int = AHEAD,
    ) -> None:
        self._engine, self._replies, self._most_ahead = engine, replies, ahead
        self._waiting = batches(calls, rules)
        self._ahead: deque[tuple[Batch, Answering]] = deque()
        self._patience, self._retries = PATIENCE, RETRIES

    def push(self) -> None:
        """Send what fits without waiting, so that the process has work in the meantime."""
        self._prefetch()
        self._engine.push()

    def results(self) -> Iterator[Answer | NotEvaluated]:
        """Results in the order of the calls."""
        return chain.from_iterable(self.steps())

    def steps(self) -> Iterator[Iterable[Answer | NotEvaluated]]:
        """Results of each reply, possibly none, so that the caller can act in between."""
        while self._prefetch():
            batch, answering = self._ahead.popleft()
            try:
                reply = answering.answer()
            except Lost:
                self._ask_first(batch)
                continue
            except Ended as error:
                if self._retries:  # it may not be a call's fault
                    self._retries -= 1
                    self._ask_first(batch)
                else:
                    yield self._in_halves(batch, str(error))
                continue
            except NoAnswer as error:
                yield self._in_halves(batch, str(error))
                continue
            match reply:
                case Results(results=answers) | Judgements(results=answers) if isinstance(
                    reply, self._replies
                ) and 0 < len(answers) <= len(batch.encoded):
                    results = cast("list[Answer | NotEvaluated]", answers)
                    yield self._up_to_a_stopped_call(batch, results)
                case Need():
                    self._engine.load()
                    self._ask_first(batch)
                case _:
                    yield self._in_halves(batch, "It answered something else.")

    def _prefetch(self) -> bool:
        while (
            len(self._ahead) < self._most_ahead and (batch := next(self._waiting, None)) is not None
        ):
            self._ahead.append((batch, self._ask(batch)))
        return bool(self._ahead)

    def _ask(self, batch: Batch) -> Answering:
        return self._engine.ask(batch.encoded, patient=self._patience > 0)

    def _ask_first(self, *batches: Batch) -> None:
        answering = [(batch, self._ask(batch)) for batch in batches]
        self._ahead.extendleft(reversed(answering))

    def _up_to_a_stopped_call(
        self, batch: Batch, results: list[Answer | NotEvaluated]
    ) -> Iterator[Answer | NotEvaluated]:
        missing = len(batch.encoded) - len(results)
        if missing:
            self._patience -= 1
        if missing and self._patience > 0:
            batch, rest = batch.split(len(results))
            self._ask_first(rest)
            missing = 0
        return batch.merged([*results, *_given_up("Too many calls took too long.", missing)])

    def _in_halves(self, batch: Batch, why: str) -> Iterator[Answer | NotEvaluated]:
        self._patience -= 1
        length = len(batch.encoded)
        if length <= 1 or self._patience <= 0:
            return batch.merged(_given_up(why, length))
        self._ask_first(*batch.split(length // 2))
        return iter(())


def _given_up(why: str, calls: int) -> list[NotEvaluated]:
    return [NotEvaluated("evaluation_limit", STOPPED + why)] * calls

"""Pool of evaluation processes for all pages: one that hangs does not block the others."""

import os
import sys
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from governance.core.errors import DocumentInvalid, EvaluationBusy
from governance.evaluation.engine.calls import Result, ToolCall
from governance.evaluation.engine.client import (
    BASE_SECONDS,
    CALL_SECONDS,
    Engine,
    Source,
    Validation,
    read,
    text_of,
)
from governance.evaluation.engine.process import IDLE_SECONDS
from governance.evaluation.evaluator.messages import Evaluation, Explanation
from governance.texts.document import Document

MEMBERS = 2


@dataclass(frozen=True, slots=True)
class PoolUse:
    members: int
    running: int
    busy: int
    starts: int  # processes started by this pool


class Pool:
    """Gives each question a process to itself: one that has loaded the document, else a running
    one.

    With `wait_seconds`, a question is rejected if all processes stay busy for that long.
    """

    def __init__(
        self,
        *,
        members: int = MEMBERS,
        call_seconds: float = CALL_SECONDS,
        base_seconds: float = BASE_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
        wait_seconds: float | None = None,
    ) -> None:
        self._wait_seconds = wait_seconds
        self._members = tuple(
            Engine(
                call_seconds=call_seconds,
                base_seconds=base_seconds,
                idle_seconds=idle_seconds,
                cores=_half_of_cores(),
            )
            for _ in range(members)
        )
        self._after_fork()
        os.register_at_fork(after_in_child=self._after_fork)

    @property
    def pids(self) -> list[int]:
        """Ids of the running processes: none before the first request, one if requests don't
        overlap."""
        return [each.pid for each in self._members if each.is_running and each.pid is not None]

    @property
    def use(self) -> PoolUse:
        return PoolUse(
            members=len(self._members),
            running=sum(each.is_running for each in self._members),
            busy=len(self._members) - len(self._free),
            starts=sum(each.starts for each in self._members),
        )

    def validate(self, source: Source, *, tools: Collection[str] | None = None) -> Validation:
        try:
            text = text_of(source)
        except DocumentInvalid as refused:
            return Validation(errors=refused.errors)
        with self._member() as member:
            return member.validate(text, tools=tools)

    def evaluate(self, source: Source, calls: Iterable[ToolCall]) -> list[Result]:
        document = read(source)
        with self._member(document) as member:
            return member.evaluate(document, calls)

    def evaluate_call(self, source: Source, call: ToolCall) -> Evaluation:
        document = read(source)
        with self._member(document) as member:
            return member.evaluate_call(document, call)

    def explain(self, source: Source, call: ToolCall) -> Explanation:
        document = read(source)
        with self._member(document) as member:
            return member.explain(document, call)

    def close(self) -> None:
        for member in self._members:
            member.close()

    @contextmanager
    def _member(self, document: Document | None = None) -> Iterator[Engine]:
        with self._changed:
            if not self._changed.wait_for(lambda: bool(self._free), self._wait_seconds):
                raise EvaluationBusy("Other contracts are being evaluated. Try again in a moment.")
            member = max(self._free, key=lambda each: (_knows(each, document), each.is_running))
            self._free.remove(member)
        try:
            yield member
        finally:
            with self._changed:
                self._free.append(member)
                self._changed.notify()

    def _after_fork(self) -> None:
        self._changed = threading.Condition()
        self._free = list(self._members)


def _half_of_cores() -> list[int]:
    """Half of the cores, or empty for all. The rest stay free for serving and processing: since
    Linux 6.12, a request waits for the running process's time slice, whatever its priority."""
    if sys.platform != "linux":
        return []
    cores = sorted(os.sched_getaffinity(0))
    return cores[len(cores) // 2 :] if len(cores) > 1 else []


def _knows(member: Engine, document: Document | None) -> bool:
    return document is not None and member.knows(document)

"""Answers of contracts about a chunk of calls, computed in other processes while the next chunk is
read."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from governance.core.errors import GovernanceError
from governance.evaluation.engine import Asker, Engine, Judged
from governance.texts.document import Document
from outcomes.backtesting.domain.comparison import Recorded, recorded_of
from outcomes.backtesting.replay.answers import Book, Slot
from outcomes.backtesting.replay.contents import contents_of, size_of
from outcomes.backtesting.replay.deployed_versions import Deployed
from outcomes.backtesting.replay.rows import Row
from outcomes.backtesting.replay.selection import Chunk, Selection

READ_AT_ONCE: Final = 1_000  # calls with their events, at most; a tenth of that at first
READ_BYTES: Final = 4 * 1024 * 1024  # target for the content of one read
ON_THEIR_WAY: Final = 16 * 1024 * 1024  # bytes of questions; beyond that, wait for answers
HELPED_AFTER: Final = 0.5  # seconds of waiting: twice what it takes to start a process
_UNREADABLE: Final = "unreadable"


class Looked(NamedTuple):
    """A call and the slots of its answers; a call that is only counted has none."""

    row: Row
    recorded: Recorded | None = None
    chosen: Slot | None = None
    deployed: Slot | None = None
    selected: bool = True


class _Request(NamedTuple):
    asker: Asker[Judged | None]
    slots: list[Slot]
    deployed: bool


@dataclass(slots=True)
class Answers:
    """Calls of a chunk, and the open questions about them."""

    sessions: dict[int, str]
    calls: list[Looked] = field(default_factory=list)
    requests: list[_Request] = field(default_factory=list)
    size: int = 0  # of the questions, in bytes

    def push(self) -> None:
        for each in self.requests:
            each.asker.push()

    def arrive(self) -> Iterator[None]:
        """Receive answers step by step, until every slot is filled."""
        requests, self.requests, self.size = self.requests, [], 0
        for each in requests:
            places = iter(each.slots)
            try:
                for some in each.asker.steps():
                    for judged in some:
                        next(places).fill(judged)
                    yield
            except GovernanceError:
                if not each.deployed:
                    raise
                _leave(places)


class Questions:
    """Two evaluation processes: one for the chosen rules, one for the deployed ones.

    If no other rules were deployed, the second helps the first once answers take long.
    """

    def __init__(self, document: Document, environments: dict[int, str], engine: Engine) -> None:
        self._environments = environments
        self._chosen = Book(document, notes_missing=True)
        self._deployed = Deployed(self._chosen)
        self._engines = (engine, Engine())
        self._waited, self._turn = 0.0, 0
        self._at_once = max(1, READ_AT_ONCE // 10)

    def close(self) -> None:
        for engine in self._engines:
            engine.close()

    def ask(self, chunk: Chunk, selection: Selection, meanwhile: Callable[[], None]) -> Answers:
        """Answers for a chunk; `meanwhile` is called now and then so that earlier answers
        progress."""
        self._deployed.close_oldest()
        answers = Answers(chunk.sessions)
        unread: list[int] = []
        for row in chunk.rows:
            looked = self._glance(row) if selection.has(row) else Looked(row, selected=False)
            if looked.recorded is not None and (looked.chosen is None or self._is_open(looked)):
                unread.append(len(answers.calls))
            answers.calls.append(looked)
        while unread:
            meanwhile()
            now, unread = unread[: self._at_once], unread[self._at_once :]
            self._read(answers, now)
            if answers.size > ON_THEIR_WAY:
                for _ in self.arrived(answers):
                    meanwhile()
        return answers

    def arrived(self, answers: Answers) -> Iterator[None]:
        """Receive all these answers step by step, and measure the time spent waiting."""
        began, worked = time.perf_counter(), time.process_time()
        yield from answers.arrive()
        self._waited += time.perf_counter() - began - (time.process_time() - worked)

    def _glance(self, row: Row) -> Looked:
        """Call with the answers that its row alone determines."""
        recorded = recorded_of(
            row.kind, row.reason, row.rule, approval_requested=row.approval_requested
        )
        if recorded is None:
            return Looked(row)
        environment = self._environments.get(row.environment, "")
        chosen = self._chosen.glance(row, environment)
        book = self._deployed.book_of(row.version)
        if book is self._chosen:
            return Looked(row, recorded, chosen, chosen)
        return Looked(row, recorded, chosen, book.glance(row, environment) if book else None)

    def _is_open(self, looked: Looked) -> bool:
        return looked.deployed is None and self._deployed.book_of(looked.row.version) is not None

    def _read(self, answers: Answers, places: list[int]) -> None:
        calls = answers.calls
        contents = contents_of([calls[place].row for place in places])
        for place, content in zip(places, contents, strict=True):
            row, recorded, *_ = calls[place]
            environment = self._environments.get(row.environment, "")
            chosen = self._chosen.find(row, environment, content)
            book, deployed = self._deployed.book_of(row.version), None
            if book is not None:
                same = book is self._chosen
                deployed = chosen if same else book.find(row, environment, content)
            calls[place] = Looked(row, recorded, chosen, deployed)
        size = sum(map(size_of, contents))
        self._at_once = min(READ_AT_ONCE, max(1, READ_BYTES * len(places) // max(1, size)))
        self._send(answers)

    def _send(self, answers: Answers) -> None:
        books = self._deployed.open()
        slots, questions = self._chosen.waiting()
        if questions:
            self._turn += 1
            helped = not books and self._waited > HELPED_AFTER
            engine = self._engines[self._turn % 2 if helped else 0]
            asker = engine.judge(self._chosen.document, questions)
            answers.size += sum(map(len, questions))
            answers.requests.append(_Request(asker, slots, deployed=False))
        for book in books:
            slots, questions = book.waiting()
            if not questions:
                continue
            try:
                asker = self._engines[1].judge(book.document, questions)
            except GovernanceError:  # accepted by an older library, rejected by the current one
                _leave(slots)
            else:
                answers.size += sum(map(len, questions))
                answers.requests.append(_Request(asker, slots, deployed=True))


def _leave(slots: Iterator[Slot] | list[Slot]) -> None:
    for slot in slots:
        slot.unanswered = _UNREADABLE

"""What documents say of a chunk of calls, asked in processes of their own while others are read."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

from governance.domain.document import Document
from governance.domain.errors import GovernanceError
from governance.engine import Engine, NotEvaluated, ToolCall
from outcomes.backtests.books import Book, Slot, answer_of
from outcomes.backtests.contents import Content, contents_of
from outcomes.backtests.deployed import Deployed
from outcomes.backtests.selecting import Chunk, Row, Selection
from outcomes.domain.backtests.comparing import Recorded, recorded_of

_NOTHING: Final = Content()
_UNREADABLE: Final = "unreadable"


class Looked(NamedTuple):
    """A call with the places of its answers; none of one that is only counted."""

    row: Row
    recorded: Recorded | None = None
    chosen: Slot | None = None
    deployed: Slot | None = None
    selected: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    sessions: dict[int, str]
    calls: list[Looked]
    answers: list["Future[None]"]


class Questions:
    """Two processes: the chosen rules have one, and those that were deployed the other one.

    Where nothing else was deployed, both are asked about the chosen rules.
    """

    def __init__(self, document: Document, environments: dict[int, str], engine: Engine) -> None:
        self._environments = environments
        self._chosen = Book(document, notes_missing=True)
        self._deployed = Deployed(self._chosen)
        self._engines = (engine, Engine())
        self._threads = ThreadPoolExecutor(max_workers=2)

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
        for engine in self._engines:
            engine.close()

    def ask(self, chunk: Chunk, selection: Selection) -> Asked:
        self._deployed.close_oldest()
        calls: list[Looked] = []
        unread: list[tuple[int, Looked, Book | None]] = []
        for row in chunk.rows:
            selected = selection.has(row)
            recorded = (
                recorded_of(row.kind, row.reason, row.rule, asked=row.asked) if selected else None
            )
            if recorded is None:
                calls.append(Looked(row, selected=selected))
                continue
            environment = self._environments.get(row.environment, "")
            book = self._deployed.book_of(row.version)
            chosen = self._chosen.glance(row, environment)
            deployed = chosen
            if book is not self._chosen:
                deployed = None if book is None else book.glance(row, environment)
            looked = Looked(row, recorded, chosen, deployed)
            if chosen is None or (book is not None and deployed is None):
                unread.append((len(calls), looked, book))
            calls.append(looked)
        contents = contents_of([looked.row for _, looked, _ in unread])
        for place, looked, book in unread:
            calls[place] = self._found(looked, book, contents.get(looked.row.id, _NOTHING))
        return Asked(chunk.sessions, calls, list(self._questions()))

    def _found(self, looked: Looked, book: Book | None, content: Content) -> Looked:
        row = looked.row
        environment = self._environments.get(row.environment, "")
        chosen: Slot | None = self._chosen.find(row, environment, content)
        deployed = chosen
        if book is not self._chosen:
            deployed = None if book is None else book.find(row, environment, content)
        return looked._replace(chosen=chosen, deployed=deployed)

    def _questions(self) -> Iterator["Future[None]"]:
        chosen, deployed = self._engines
        books = self._deployed.open()
        helping = (chosen,) if books else self._engines  # who has nothing else to do takes part
        for number, piece in enumerate(self._chosen.waiting()):
            engine = helping[number % len(helping)]
            yield self._threads.submit(_ask, engine, self._chosen.document, piece)
        for book in books:
            for piece in book.waiting():
                yield self._threads.submit(_ask_again, deployed, book.document, piece)


Piece = Sequence[tuple[Slot, ToolCall]]


def _ask(engine: Engine, document: Document, piece: Piece) -> None:
    results = engine.evaluate(document, [call for _, call in piece])
    for (slot, _), result in zip(piece, results, strict=True):
        if isinstance(result, NotEvaluated):
            slot.unanswered = result.code
        else:
            slot.answer = answer_of(result)


def _ask_again(engine: Engine, document: Document, piece: Piece) -> None:
    """Of what was deployed: today's library may refuse what that of its day took."""
    try:
        _ask(engine, document, piece)
    except GovernanceError:
        for slot, _ in piece:
            slot.unanswered = _UNREADABLE

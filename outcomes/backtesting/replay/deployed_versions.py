"""Versions that governed recorded calls, each opened once to evaluate those calls again."""

from typing import Final

from governance.contracts.queries.versions import version_written
from governance.core.errors import DocumentInvalid
from governance.texts.document import Document, read_document
from outcomes.backtesting.replay.answers import Book

OPEN: Final = 12  # documents at a time


class Deployed:
    """Deployed versions; one with the same text as `chosen` shares its answers."""

    def __init__(self, chosen: Book) -> None:
        self._chosen = chosen
        self._books: dict[int, Book | None] = {}

    def book_of(self, version: int | None) -> Book | None:
        """Answers of a version; None if it is unknown which one governed the call, or if that
        version can no longer be read."""
        if version is None:
            return None
        if version not in self._books:
            self._books[version] = self._opened(version)
        return self._books[version]

    def open(self) -> list[Book]:
        return [book for book in self._books.values() if book and book is not self._chosen]

    def close_oldest(self) -> None:
        """Close the oldest documents; called between chunks, when no request is open."""
        while len(self._books) > OPEN:
            del self._books[next(iter(self._books))]

    def _opened(self, version: int) -> Book | None:
        document = _document(version)
        if document is None:
            return None
        same = document.new_text == self._chosen.document.new_text
        return self._chosen if same else Book(document)


def _document(version: int) -> Document | None:
    written = version_written(version)
    try:
        return None if written is None else read_document(written.document)
    except DocumentInvalid:  # accepted by an older release
        return None

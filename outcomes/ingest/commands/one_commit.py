"""Rows that threads write at the same moment share a commit: where one writer is let in at a time,
a commit takes longer than the writing, and each of them would wait for all before it."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

Row = TypeVar("Row")
Told = TypeVar("Told")


@dataclass(slots=True)
class _Waiting(Generic[Row, Told]):
    row: Row
    told: Told | None = None
    error: Exception | None = None
    is_done: bool = False

    def done(self, told: Told | None = None, error: Exception | None = None) -> None:
        self.told, self.error, self.is_done = told, error, True


class OneCommit(Generic[Row, Told]):
    """`write_all` writes all of these rows or none, and tells something of each, in their order."""

    def __init__(self, write_all: Callable[[Sequence[Row]], Sequence[Told]]) -> None:
        self._write_all = write_all
        self._waiting: deque[_Waiting[Row, Told]] = deque()
        self._turn = Lock()

    def write(self, row: Row) -> Told:
        """What was told of it; after the commit, whoever made that."""
        mine = _Waiting[Row, Told](row)
        self._waiting.append(mine)
        with self._turn:
            if not mine.is_done:
                self._write([self._waiting.popleft() for _ in range(len(self._waiting))])
        if mine.error is not None:
            raise mine.error
        return mine.told  # type: ignore[return-value]  # told, when there was no error

    def _write(self, together: Sequence[_Waiting[Row, Told]]) -> None:
        try:
            told_of_all = self._write_all([one.row for one in together])
        except Exception as error:  # noqa: BLE001 - raised by whoever waits for the row
            if len(together) > 1:  # it may be the fault of one of them
                for one in together:
                    self._write([one])
            else:
                together[0].done(error=error)
        except BaseException:
            for one in together:
                one.done(error=RuntimeError("The thread that was to write this was ended"))
            raise
        else:
            for one, told in zip(together, told_of_all, strict=True):
                one.done(told)

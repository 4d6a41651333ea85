"""Rows that threads write at the same moment share a commit: where one writer is let in at a time,
a commit takes longer than the writing, and each of them would wait for all before it."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

Row = TypeVar("Row")
Result = TypeVar("Result")


@dataclass(slots=True)
class _Waiting(Generic[Row, Result]):
    row: Row
    result: Result | None = None
    error: Exception | None = None
    is_done: bool = False

    def done(self, result: Result | None = None, error: Exception | None = None) -> None:
        self.result, self.error, self.is_done = result, error, True


class OneCommit(Generic[Row, Result]):
    """`write_all` writes all of these rows or none, and tells something of each, in their order."""

    def __init__(self, write_all: Callable[[Sequence[Row]], Sequence[Result]]) -> None:
        self._write_all = write_all
        self._waiting: deque[_Waiting[Row, Result]] = deque()
        self._turn = Lock()

    def write(self, row: Row) -> Result:
        """Result of this row, after the commit, whichever thread made it."""
        mine = _Waiting[Row, Result](row)
        self._waiting.append(mine)
        with self._turn:
            if not mine.is_done:
                self._write([self._waiting.popleft() for _ in range(len(self._waiting))])
        if mine.error is not None:
            raise mine.error
        return mine.result  # type: ignore[return-value]  # result, when there was no error

    def _write(self, together: Sequence[_Waiting[Row, Result]]) -> None:
        try:
            results = self._write_all([one.row for one in together])
        except Exception as error:  # noqa: BLE001 - raised by whoever waits for the row
            if len(together) > 1:  # it may be the fault of one of them
                for one in together:
                    self._write([one])
            else:
                together[0].done(error=error)
        except BaseException:
            for one in together:
                one.done(error=RuntimeError("The writing thread ended"))
            raise
        else:
            for one, result in zip(together, results, strict=True):
                one.done(result)

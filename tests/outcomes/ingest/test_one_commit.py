"""Concurrent writers share one commit, and errors of one do not affect the others."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from outcomes.ingest.commands.accept import OneCommit


class Refused(Exception):
    pass


class Table:
    """Rejects rows below zero, together with all rows of the same write."""

    def __init__(self) -> None:
        self.commits: list[list[int]] = []
        self.begun, self.may_end = Event(), Event()

    def write_all(self, rows: Sequence[int]) -> list[str]:
        self.begun.set()
        assert self.may_end.wait(60)
        if any(row < 0 for row in rows):
            raise Refused(str(list(rows)))
        self.commits.append(list(rows))
        return [f"row {row}" for row in rows]


def test_writes_arriving_during_a_commit_share_the_next():
    table = Table()
    one_commit = OneCommit(table.write_all)
    with ThreadPoolExecutor(6) as threads:
        first = threads.submit(one_commit.write, 0)
        assert table.begun.wait(60)
        others = [threads.submit(one_commit.write, row) for row in range(1, 6)]
        while len(one_commit._waiting) < len(others):
            pass
        table.may_end.set()
        assert [each.result(60) for each in (first, *others)] == [f"row {row}" for row in range(6)]
    assert [sorted(rows) for rows in table.commits] == [[0], [1, 2, 3, 4, 5]]


def test_a_rejected_row_does_not_affect_the_others():
    table = Table()
    one_commit = OneCommit(table.write_all)
    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(one_commit.write, 0)
        assert table.begun.wait(60)
        good, bad = threads.submit(one_commit.write, 1), threads.submit(one_commit.write, -1)
        while len(one_commit._waiting) < 2:
            pass
        table.may_end.set()
        assert (first.result(60), good.result(60)) == ("row 0", "row 1")
        with pytest.raises(Refused, match=r"\[-1\]"):
            bad.result(60)
    assert one_commit.write(2) == "row 2"

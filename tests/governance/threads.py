"""Concurrent threads, each with its own connection, closed at the end."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

Result = TypeVar("Result")


def in_threads(number: int, work: Callable[[int], Result]) -> list[Result]:
    together = threading.Barrier(number)

    def one(which: int) -> Result:
        try:
            together.wait()
            return work(which)
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))

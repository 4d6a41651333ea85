"""Saves a sixth of the tests' time with a larger stack chunk and fewer garbage collections.

CPython allocates frames in chunks of 16 KB, and maps and unmaps one whenever calls cross into the
next. Below pytest's own frames, template loops do so thousands of times per page. A frame with a
large stack gets a chunk of a megabyte instead, which has space for all frames below it.
"""

import gc

import pytest
from _pytest import runner

_PLACES = 70_000  # stack slots of the frame: 560 KB, for which a megabyte is mapped


def _run(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    return runner.pytest_runtest_protocol(item, nextitem)


_run.__code__ = _run.__code__.replace(co_stacksize=_PLACES)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    return _run(item, nextitem)


def pytest_collection_finish() -> None:
    # As in the server, exempt loaded modules from garbage collection.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)

"""Room for what tests call, and few searches for what they leave: a sixth of their time.

CPython keeps frames in pieces of 16 KB, and maps and unmaps one whenever calls cross from a piece
into the next. Below pytest's own frames that is where the loops of a template lie: thousands of
times in a page. A frame that asks for much gets a piece of a megabyte, with room for all below it.
"""

import gc

import pytest
from _pytest import runner

_PLACES = 70_000  # of a frame: 560 KB, for which a megabyte is mapped


def _run(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    return runner.pytest_runtest_protocol(item, nextitem)


_run.__code__ = _run.__code__.replace(co_stacksize=_PLACES)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    return _run(item, nextitem)


def pytest_collection_finish() -> None:
    # As in the server: what was loaded stays.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)

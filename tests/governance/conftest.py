"""One shared evaluation process for tests that only query it."""

from collections.abc import Iterator

import pytest

from governance.evaluation.engine import Engine


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine

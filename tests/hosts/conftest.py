"""One PostgreSQL server for tests with several hosts, regardless of the store under test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.installation import Installation, installation
from tests.hosts.servers import own_postgres


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    if url := os.environ.get("DATABASE_URL", ""):
        yield url
        return
    with own_postgres() as url:
        yield url


@pytest.fixture
def shared(server: str, tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path, server) as made:
        yield made

"""Separate product instance for the SDK tests, whose agents run concurrently."""

import os
from collections.abc import Iterator

import pytest

from edictum_site.stack.running import product as running
from tests.databases import own_database
from tests.journeys.console import VARIABLES, Console
from tests.sdks.agents import Agents, deploy
from tests.sdks.environments import ROOT

# The frameworks need gigabytes of disk; like most SDK versions, they run in `make test-sdks` only.
collect_ignore = [] if os.environ.get("SDKS") == "all" else ["test_adapters.py"]
DOCUMENTS = ROOT / "tests" / "sdks" / "documents"


@pytest.fixture(scope="package")
def store() -> Iterator[dict[str, str]]:
    with own_database() as variables:
        yield variables


@pytest.fixture(scope="package")
def console(store: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with running(tmp_path_factory.mktemp("sdks"), VARIABLES | store) as product:
        console = Console(product, store["DATABASE_URL"])
        for document in sorted(DOCUMENTS.glob("*.yaml")):
            deploy(console, document.read_text())
        yield console


@pytest.fixture(scope="package")
def agents(console: Console) -> Iterator[Agents]:
    agents = Agents(console)
    yield agents
    agents.end()

"""Fixtures of the client's tests: a live product, and a receiver that fails on demand."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.python.tests.receiver import Receiver
from edictum_site.stack.running import product as running
from edictum_site_client import Console as Client
from tests.journeys.console import KEY, VARIABLES, Console


@pytest.fixture(scope="package")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    stores = {"DATABASE_URL": "", "REDIS_URL": ""}  # embedded, as the database isn't under test
    with running(tmp_path_factory.mktemp("console"), VARIABLES | stores) as product:
        yield Console(product, "")


@pytest.fixture(scope="package")
def deployed(console: Console) -> str:
    yaml = (Path(__file__).parent / "programs" / "new.yaml").read_text()
    status, answer = console.ask("POST", "contracts", json.dumps({"yaml": yaml}).encode())
    assert status in (200, 201), answer
    body = json.dumps({"version": answer["version"], "env": "production"}).encode()
    status, _ = console.ask("POST", f"contracts/{answer['name']}/deployments", body)
    assert status in (200, 201)
    return str(answer["name"])


@pytest.fixture
def client(console: Console) -> Iterator[Client]:
    with Client(console.url, api_key=KEY, agent_id="billing-bot") as client:
        yield client


@pytest.fixture
def session() -> str:
    return f"session-{uuid.uuid4()}"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "contract.yaml"
    path.write_text((Path(__file__).parent / "programs" / "new.yaml").read_text())
    return path

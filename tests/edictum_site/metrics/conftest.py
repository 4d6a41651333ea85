"""Fixtures for scrapes: a project's agent, and a broker that responds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from governance.models import Project
from outcomes.core import broker
from tests import builders
from tests.embedded_redis import running_redis
from tests.outcomes.posting import Agent


@pytest.fixture
def agent(project: Project) -> Agent:
    return Agent(builders.bearing(builders.a_key(project, "agent", "ingest", "manage")[0]))


@pytest.fixture
def reader(project: Project) -> Client:
    return builders.bearing(builders.a_key(project, "read")[0])


@pytest.fixture
def broker_up(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with running_redis(tmp_path) as settings.REDIS_URL:
        monkeypatch.setattr(broker, "_silent_until", 0.0)
        yield

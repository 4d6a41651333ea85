"""Fixtures for tests that post events and have them processed."""

from collections.abc import Iterator

import pytest
from django.test import Client

from edictum_site.celery import app
from governance.core.roles import Role
from governance.evaluation.engine import Engine
from governance.models import Project
from governance.people.auth import LAST_PROJECT
from outcomes.backtesting import commands
from outcomes.backtesting.replay import questions
from outcomes.stored import names
from tests import builders
from tests.outcomes.pages import Pages
from tests.outcomes.posting import Agent

# Doorbells send to an in-memory broker, so that no server is needed.
app.set_default()
app.conf.update(broker_url="memory://")


class Lasting(Engine):
    """An evaluation process shared by all backtests, as each takes a third of a second to start. In
    the product every job has its own."""

    def close(self) -> None:
        pass

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="package", autouse=True)
def _engines_for_all() -> Iterator[None]:
    chosen, deployed = Lasting(), Lasting()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(commands, "Engine", lambda: chosen)
        patched.setattr(questions, "Engine", lambda: deployed)
        yield
    chosen.end()
    deployed.end()


@pytest.fixture
def own_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start an evaluation process for each backtest, as in the product."""
    for module in (commands, questions):
        monkeypatch.setattr(module, "Engine", Engine)


@pytest.fixture(autouse=True)
def _clear_name_caches() -> None:
    # The name cache outlives a test, but its database does not.
    names.forget()


@pytest.fixture
def agent(project: Project) -> Agent:
    """An agent that posts, processes and reads with a key that has every scope in production."""
    return Agent(builders.bearing(builders.a_key(project, "agent", "ingest", "manage")[0]))


@pytest.fixture
def reader(project: Project) -> Client:
    return builders.bearing(builders.a_key(project, "read")[0])


@pytest.fixture
def pages(project: Project) -> Pages:
    """Pages as seen by a viewer who has opened this project before."""
    return _pages_of(project, Role.VIEWER)


@pytest.fixture
def operators_pages(project: Project) -> Pages:
    return _pages_of(project, Role.OPERATOR)


def _pages_of(project: Project, role: Role) -> Pages:
    client = builders.signed_in(builders.a_member(project, role).user)
    session = client.session
    session[LAST_PROJECT] = project.slug
    session.save()
    return Pages(client, project.slug)

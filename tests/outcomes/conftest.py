"""Fixtures for tests that post and settle."""

import pytest
from django.test import Client

from edictum_site.celery import app
from governance.core.roles import Role
from governance.models import Project
from governance.people.auth import LAST_PROJECT
from outcomes.stored import names
from tests import builders
from tests.outcomes.pages import Pages
from tests.outcomes.posting import Agent

# A doorbell rings here as well; nobody is there to hear it, and no server is asked for.
app.set_default()
app.conf.update(broker_url="memory://")


@pytest.fixture(autouse=True)
def _clear_name_caches() -> None:
    # What is remembered of names outlives a test, its database does not.
    names.forget()


@pytest.fixture
def agent(project: Project) -> Agent:
    """Posts, settles and reads: a key with every right, in production."""
    return Agent(builders.bearing(builders.a_key(project, "agent", "ingest", "manage")[0]))


@pytest.fixture
def reader(project: Project) -> Client:
    return builders.bearing(builders.a_key(project, "read")[0])


@pytest.fixture
def pages(project: Project) -> Pages:
    """As a viewer sees them, who was in this project before."""
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

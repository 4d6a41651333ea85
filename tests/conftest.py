"""Fixtures for all tests that need a project and its people."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client

from edictum_site.celery import app
from governance.core.roles import Role
from governance.models import Project
from governance.people import auth
from outcomes.health import commands as readiness
from outcomes.ingest.commands import back_pressure
from outcomes.record import names
from outcomes.session_store.commands.owners import forget_owners
from tests import builders


def pytest_configure() -> None:
    # Pages are tested without collecting static files first; journeys run the real start.
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES["staticfiles"]["BACKEND"] = plain
    # A doorbell rings here as well; nobody is there to hear it, and no server is asked for.
    app.set_default()
    app.conf.update(broker_url="memory://")


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    # What a process remembers outlives a test, its database does not.
    auth.forget_keys()
    names.forget()
    forget_owners()
    back_pressure.forget()
    readiness.forget()


@pytest.fixture
def project(db: None) -> Project:
    return builders.a_project()


@pytest.fixture
def admin_client(project: Project) -> Client:
    return builders.signed_in(builders.a_member(project, Role.ADMIN).user)


@pytest.fixture
def client_as(project: Project) -> Callable[[Role], Client]:
    return lambda role: builders.signed_in(builders.a_member(project, role).user)

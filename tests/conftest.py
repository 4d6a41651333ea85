"""Fixtures for all tests that need a project and its people."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client

from governance import auth
from governance.domain.roles import Role
from governance.models import Project
from tests import builders


def pytest_configure() -> None:
    # Pages are tested without collecting static files first; journeys run the real start.
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES["staticfiles"]["BACKEND"] = plain


@pytest.fixture(autouse=True)
def _no_keys_kept() -> None:
    # The cache of keys outlives a test, its database does not.
    auth.forget_keys()


@pytest.fixture
def project(db: None) -> Project:
    return builders.a_project()


@pytest.fixture
def admin_client(project: Project) -> Client:
    return builders.signed_in(builders.a_member(project, Role.ADMIN).user)


@pytest.fixture
def client_as(project: Project) -> Callable[[Role], Client]:
    return lambda role: builders.signed_in(builders.a_member(project, role).user)

"""Fixtures for all tests that need a project and its users."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from edictum_site.celery import app
from edictum_site.metrics import views as metrics
from governance.audit.commands.requests import forget_repeats
from governance.core.roles import Role
from governance.models import Project
from governance.people import auth
from outcomes.health import commands as readiness
from outcomes.ingest.commands import back_pressure
from outcomes.session_store.commands.owners import forget_owners
from outcomes.stored import names
from tests import builders
from tests.audit_triggers import let_tests_flush

# Markup in which line breaks matter; `data-selectors` has one value per line.
AS_WRITTEN = re.compile(
    r'(<(?:pre|textarea)\b.*?</(?:pre|textarea)>|data-selectors="[^"]*")', re.DOTALL
)
SPACES = re.compile(r"\s+")


def pytest_configure() -> None:
    # Page tests do not collect static files first; journeys start the real product.
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES["staticfiles"]["BACKEND"] = plain
    settings.PASSWORD_HASHERS = ["tests.hashing.CheapArgon2"]
    # Messages to workers go to an in-memory broker that nothing reads, so no server is needed.
    app.set_default()
    app.conf.update(broker_url="memory://")
    let_tests_flush()


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    # In-process caches outlive a test, but its database does not.
    auth.forget_keys()
    names.forget()
    forget_owners()
    back_pressure.forget()
    readiness.forget()
    forget_repeats()
    metrics.forget()
    # The artifact store's mark must match the installation's database, which is new.
    (Path(settings.DATA) / "artifacts/installation").unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def _pages_as_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collapse white space in pages, as browsers do, so that tests don't depend on line breaks in
    templates."""
    answer = Client.request

    def request(self: Client, **environ: Any) -> Any:
        response = answer(self, **environ)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and not response.streaming and not response.has_header("Content-Encoding"):
            parts = AS_WRITTEN.split(response.content.decode())
            spaced = [part if at % 2 else SPACES.sub(" ", part) for at, part in enumerate(parts)]
            response.content = "".join(spaced).encode()
        return response

    monkeypatch.setattr(Client, "request", request)


@pytest.fixture
def project(db: None) -> Project:
    return builders.a_project()


@pytest.fixture
def admin_client(project: Project) -> Client:
    return builders.signed_in(builders.a_member(project, Role.ADMIN).user)


@pytest.fixture
def client_as(project: Project) -> Callable[[Role], Client]:
    return lambda role: builders.signed_in(builders.a_member(project, role).user)

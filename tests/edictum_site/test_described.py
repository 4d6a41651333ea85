"""The API matches its OpenAPI description, as tested by schemathesis on every operation."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok

from edictum_site.api import api
from edictum_site.wsgi import application
from governance.models import Project
from tests import builders
from tests.edictum_site import routes
from tests.edictum_site.test_routes import everything_in, undone


def closed(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    """The application with its responses read completely and closed, as servers do."""
    answer = application(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


EXAMPLES = 5  # per operation
# A request that matches its schema may still be rejected as documented: no schema describes
# valid contracts and checks, cursors from a list, or fields that exclude each other.
ACCEPTED = ["2xx", "3xx", "401", "403", "404", "409", "416", "422", "503"]
REFUSED = ["400", "401", "403", "404", "405", "409", "413", "415", "422", "5xx"]
CHECKS = {
    "positive_data_acceptance": {"expected-statuses": ACCEPTED},
    "negative_data_rejection": {"expected-statuses": REFUSED},
}
CONFIG = schemathesis.Config.from_dict({"seed": 1, "checks": CHECKS})
SCHEMA = schemathesis.openapi.from_wsgi("/v1/openapi.json", closed, config=CONFIG)
OPERATIONS = {
    f"{operation.ok().method.upper()} {operation.ok().path.removeprefix('/v1/')}": operation.ok()
    for operation in SCHEMA.get_all_operations()
    if isinstance(operation, Ok)
}


@contextmanager
def one_connection() -> Iterator[None]:
    """Run the application in the test's transaction, which is rolled back at the end."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        with undone():
            yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


def named_by(route: str, things: Mapping[str, object]) -> dict[str, object]:
    """Value of `name`, which depends on the path."""
    if "{name}" not in route:
        return {}
    return {"name": things["check_name" if "success-checks" in route else "bundle_name"]}


def test_the_description_covers_every_operation():
    assert set(OPERATIONS) == set(routes.API)


@pytest.fixture(scope="module")
def described_paths() -> dict[str, Any]:
    """Paths of the description, cached: generating it takes a tenth of a second."""
    paths: dict[str, Any] = api.get_openapi_schema(path_prefix="/v1/")["paths"]
    return paths


@pytest.mark.parametrize("route", sorted(routes.API))
def test_an_operation_documents_its_errors(described_paths, route):
    method, _, path = route.partition(" ")
    answers = described_paths[f"/v1/{path}"][method.lower()]["responses"]
    errors = {status: answer for status, answer in answers.items() if int(status) >= 400}
    assert {400, 500, 503} <= errors.keys()
    assert {401, 403} <= errors.keys() or routes.API[route] == routes.EVERYBODY
    assert 404 in errors or not re.search("{", path)
    assert {413, 422} <= errors.keys() or method not in ("POST", "PUT")
    items = [
        answer["content"]["application/json"]["schema"]["$ref"]
        for status, answer in errors.items()
        if status != 416
    ]
    assert set(items) == {"#/components/schemas/Error"}


@pytest.mark.slow
def test_valid_requests_get_responses_that_match_the_description(project):
    """Requests refer to existing objects."""
    things = everything_in(project)

    def there(case: schemathesis.Case[Any], route: str) -> None:
        known = {name: things[name] for name in case.path_parameters if name in things}
        case.path_parameters.update(known | named_by(route, things))

    assert failures(project, schemathesis.GenerationMode.POSITIVE, there) == []


@pytest.mark.slow
def test_invalid_requests_get_errors_that_match_the_description(project):
    assert failures(project, schemathesis.GenerationMode.NEGATIVE, lambda case, route: None) == []


def failures(
    project: Project,
    mode: schemathesis.GenerationMode,
    change: Callable[[schemathesis.Case[Any], str], None],
) -> list[str]:
    items = []
    for route in sorted(OPERATIONS):
        scope = "manage" if routes.MANAGE_KEY in routes.API[route] else "agent"
        key = builders.a_key(project, *{scope, "agent"})[0]
        try:
            ask(route, key, mode, change)
        except Unsatisfiable:
            assert mode is schemathesis.GenerationMode.NEGATIVE  # the operation has no parameters
        except FailureGroup as failed:
            items += [f"{route}: {each}" for each in failed.exceptions]
    return items


def ask(
    route: str,
    key: str,
    mode: schemathesis.GenerationMode,
    change: Callable[[schemathesis.Case[Any], str], None],
) -> None:
    @given(case=OPERATIONS[route].as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def answers(case: schemathesis.Case[Any]) -> None:
        change(case, route)
        with one_connection():
            case.call_and_validate(headers={"Authorization": f"Bearer {key}"})

    answers()

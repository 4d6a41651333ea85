"""The API: both prefixes, one error format, and browser sessions."""

import re

import pytest
from django.test import Client

from governance.core.roles import Role
from tests import builders
from tests.edictum_site import routes

NEW_KEY = {"name": "bot", "env": "production", "scopes": ["agent"]}


def post(client: Client, path: str, **headers: str):
    return client.post(path, NEW_KEY, content_type="application/json", headers=headers)


def is_error(response, status: int, code: str) -> bool:
    body = response.json()
    assert set(body) == {"code", "detail", "errors"}
    return (response.status_code, body["code"]) == (status, code)


@pytest.fixture
def reader(project) -> Client:
    return builders.bearing(builders.a_key(project, "read")[0])


def test_both_prefixes_return_the_same_data(reader):
    assert reader.get("/v1/keys").json() == reader.get("/api/v1/keys").json()


@pytest.mark.parametrize("path", ["/v1/nothing", "/api/v1/nothing", "/v1/keys/", "/v1/"])
def test_an_unknown_address_is_404_as_json(reader, path):
    assert is_error(reader.get(path), 404, "not_found")


def test_an_unsupported_method_is_405_as_json(reader):
    response = reader.patch("/v1/keys")
    assert is_error(response, 405, "method_not_allowed")
    assert set(response["Allow"].split(", ")) == {"GET", "POST"}


def test_every_get_route_supports_head_with_the_same_status(reader):
    for route in sorted(each for each in routes.API if each.startswith("GET ")):
        path = "/v1/" + re.sub(r"{(\w+)}", "1", route.partition(" ")[2])
        got, head = reader.get(path), reader.head(path)
        assert (head.status_code, head.content) == (got.status_code, b""), path
    assert reader.head("/v1/outcomes").status_code == 200
    assert reader.head("/v1/contracts/1/rollbacks").status_code == 405


def test_a_body_with_invalid_json_is_400(project):
    manager = builders.bearing(builders.a_key(project, "manage")[0])
    response = manager.post("/v1/keys", b"{", content_type="application/json")
    assert is_error(response, 400, "bad_request")


def test_a_request_without_a_key_is_401_with_the_auth_scheme(db):
    response = Client().get("/v1/keys")
    assert is_error(response, 401, "unauthenticated")
    assert response["WWW-Authenticate"] == "Bearer"


def test_the_management_api_rejects_an_unknown_query_parameter(reader):
    response = reader.get("/v1/keys?limt=3")
    assert is_error(response, 422, "unknown_parameter")
    assert [error["path"] for error in response.json()["errors"]] == ["limt"]


def test_a_query_parameter_out_of_range_is_422_with_its_name(reader):
    response = reader.get("/v1/keys?limit=1001")
    assert is_error(response, 422, "invalid")
    assert [error["path"] for error in response.json()["errors"]] == ["limit"]


def test_api_errors_use_the_products_own_messages(reader):
    body = reader.get("/v1/outcomes", {"agent": "a\0b"}).json()
    assert body["detail"] == "agent: NUL is not allowed here"
    assert body["errors"][0]["message"] == "NUL is not allowed here"


def test_agent_routes_ignore_unknown_query_parameters(project):
    agent = builders.bearing(builders.a_key(project, "agent")[0])
    answer = agent.post("/v1/outcomes?sdk=9", {"outcomes": []}, content_type="application/json")
    assert answer.status_code == 202


def test_a_browser_session_needs_a_csrf_token_to_write(project):
    user = builders.a_member(project, Role.ADMIN).user
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    assert is_error(post(browser, "/v1/keys"), 403, "csrf")
    browser.get(f"/p/{project.slug}/settings/keys/new/")
    token = browser.cookies["csrftoken"].value
    assert post(browser, "/v1/keys", **{"X-CSRFToken": token}).status_code == 201


def test_a_user_with_one_project_can_omit_the_project(project, admin_client):
    assert admin_client.get("/v1/keys").status_code == 200


def test_a_user_with_several_projects_gets_the_named_or_last_used_one(project):
    member = builders.a_member(project, Role.ADMIN)
    other = builders.a_member(builders.a_project(), Role.ADMIN, user=member.user).project
    builders.a_key(other)
    browser = builders.signed_in(member.user)
    assert is_error(browser.get("/v1/keys"), 404, "project")
    assert len(browser.get(f"/v1/keys?project={other.slug}").json()["keys"]) == 1
    browser.get(f"/p/{other.slug}/settings/")
    assert len(browser.get("/v1/keys").json()["keys"]) == 1


def test_an_api_key_takes_precedence_over_a_browser_session(project, admin_client):
    key, _ = builders.a_key(project, "ingest")
    response = admin_client.get("/v1/keys", headers={"Authorization": f"Bearer {key}"})
    assert is_error(response, 403, "scope")


def test_the_openapi_description_is_served(db):
    assert "/v1/keys" in Client().get("/v1/openapi.json").json()["paths"]

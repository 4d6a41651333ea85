"""Named checks over HTTP: save, list, read and download."""

import hashlib
import json
import sys
import types

import pytest
from django.test import Client

from governance.core.roles import Role
from tests import builders
from tests.governance.naming import FAILS, a_check, bound, check_text

TEXT = check_text(FAILS)
BAD = "{when: {result.bad: {exists: true}}, id: bad, verdict: failure}"


@pytest.fixture
def manager(project) -> Client:
    return builders.bearing(builders.a_key(project, "manage")[0])


@pytest.fixture
def reader(project) -> Client:
    return builders.bearing(builders.a_key(project, "read")[0])


@pytest.fixture
def agent_key(project) -> Client:
    return builders.bearing(builders.a_key(project, "agent")[0])


def put(client: Client, path: str, **body: object):
    return client.put(f"/v1/{path}", body, content_type="application/json")


def got(client: Client, path: str):
    answer = client.get(f"/v1/{path}")
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_a_new_version_is_201_and_the_same_bytes_are_200(manager, prefix):
    path, body = f"{prefix}/success-checks/mine", {"yaml": TEXT, "message": "The first"}
    first = manager.put(path, body, content_type="application/json")
    again = manager.put(path, {"yaml": TEXT}, content_type="application/json")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    answer = first.json()
    assert (answer["name"], answer["version"], answer["message"]) == ("mine", 1, "The first")
    assert answer["sha256"] == hashlib.sha256(TEXT.encode()).hexdigest()
    assert answer["author"].startswith("key:")


def test_an_invalid_check_is_422_with_lines(manager):
    answer = put(manager, "success-checks/mine", yaml=TEXT.replace("verdict:", "verdit:"))
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_document")
    assert {error["line"] for error in answer.json()["errors"]} == {6}
    assert manager.get("/v1/success-checks/mine").status_code == 404


def test_a_failing_example_is_422_with_its_line(manager):
    text = check_text(FAILS, examples=("{result: {ok: false}, verdict: success}",))
    answer = put(manager, "success-checks/mine", yaml=text)
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["line"]) == (422, 8)
    assert "not-ok" in error["message"]


def test_the_name_in_the_yaml_must_match_the_path(manager):
    answer = put(manager, "success-checks/other", yaml=TEXT)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "metadata.name")
    assert put(manager, "success-checks/http", yaml=TEXT.replace("mine", "http")).status_code == 422


@pytest.mark.parametrize("name", ["try", "schema"])
def test_a_check_can_be_named_like_a_route(manager, name):
    assert (
        put(manager, f"success-checks/{name}", yaml=TEXT.replace("mine", name)).status_code == 201
    )
    assert got(manager, f"success-checks/{name}")["name"] == name


@pytest.mark.parametrize("body", [{}, {"yaml": TEXT, "extra": 1}, {"yaml": 5}])
def test_a_body_of_another_shape_is_422(manager, body):
    assert put(manager, "success-checks/mine", **body).status_code == 422


def test_the_list_has_project_and_built_in_checks_by_name(project, reader):
    a_check(project, name="aaa")
    a_check(project, name="aaa", otherwise="unknown")
    a_check(project, include=("aaa", "http"), name="zzz")
    bound(project, "http_* aaa", "* http")
    listed = got(reader, "success-checks?limit=1000")["success_checks"]
    names = [each["name"] for each in listed]
    assert names == sorted(names)
    by_name = {each["name"]: each for each in listed}
    own, shipped = by_name["aaa"], by_name["http"]
    assert (own["version"], own["origin"], own["included_by"]) == (2, "own", ["zzz"])
    assert own["bindings"] == [{"environment": "*", "agent": "*", "tool": "http_*"}]
    assert (shipped["origin"], shipped["author"], shipped["included_by"]) == (
        "shipped",
        None,
        ["zzz"],
    )
    assert by_name["default"]["origin"] == "built-in"
    assert by_name["zzz"]["included"] == [
        {"name": "aaa", "version": 2},
        {"name": "http", "version": shipped["version"]},
    ]


def test_pagination_returns_every_check(project, reader):
    for name in ("aaa", "mmm", "zzz"):
        a_check(project, name=name)
    items = [each["name"] for each in got(reader, "success-checks?limit=1000")["success_checks"]]
    seen: list[str] = []
    cursor = ""
    while cursor is not None:
        page = got(reader, f"success-checks?limit=3&cursor={cursor}")
        seen += [each["name"] for each in page["success_checks"]]
        cursor = page["next"]
    assert seen == items


def test_a_check_has_its_yaml_history_and_newer_includes(project, reader):
    a_check(project, name="base")
    a_check(project, include=("base",), name="mine")
    a_check(project, BAD, name="base")
    mine = got(reader, "success-checks/mine")
    assert mine["yaml"] == check_text(FAILS, include=("base",))
    assert mine["newer_included"] == [{"name": "base", "included": 1, "newest": 2}]
    base = got(reader, "success-checks/base?limit=1")
    assert [each["version"] for each in base["versions"]] == [2]
    older = got(reader, f"success-checks/base?limit=1&cursor={base['next']}")
    assert [each["version"] for each in older["versions"]] == [1]
    assert older["next"] is None


def test_built_in_checks_can_be_read(reader):
    for name in ("http", "default"):
        result = got(reader, f"success-checks/{name}")
        assert f"name: {name}" in result["yaml"]
        assert result["newer_included"] == []
    for name in ("nothing", "Not-A-Name", "a%00b"):
        assert reader.get(f"/v1/success-checks/{name}").status_code == 404


def test_newer_includes_are_adopted_with_a_parameter(project, manager):
    a_check(project, name="base")
    a_check(project, include=("base",), name="mine")
    path = "/v1/success-checks/mine/newer-included"
    assert manager.post(path).status_code == 200
    a_check(project, BAD, name="base")
    response = manager.post(path)
    assert (response.status_code, response.json()["version"]) == (201, 2)
    assert response.json()["included"] == [{"name": "base", "version": 2}]
    assert manager.post("/v1/success-checks/http/newer-included").status_code == 404


def test_includes_are_pinned_until_a_save_requests_newer_ones(project, manager):
    a_check(project, name="base")
    a_check(project, include=("base",), name="mine")
    a_check(project, BAD, name="base")
    text = check_text(FAILS, include=("base",)) + "# more\n"
    result = put(manager, "success-checks/mine", yaml=text)
    assert (result.status_code, result.json()["included"]) == (
        201,
        [{"name": "base", "version": 1}],
    )
    assert put(manager, "success-checks/mine", yaml=text).status_code == 200
    outcome = put(manager, "success-checks/mine", yaml=text, newer_included=True)
    assert (outcome.status_code, outcome.json()["version"]) == (201, 3)
    assert outcome.json()["included"] == [{"name": "base", "version": 2}]
    assert put(manager, "success-checks/mine", yaml=text).status_code == 200


def module_of(text: str) -> types.ModuleType:
    module = types.ModuleType("downloaded")
    sys.modules["downloaded"] = module
    exec(compile(text, "downloaded.py", "exec"), module.__dict__)  # noqa: S102 - as an agent does
    return module


def test_an_agent_can_download_a_module_that_returns_the_consoles_verdicts(project, agent_key):
    a_check(project)
    answer = agent_key.get("/v1/success-checks/mine.py")
    assert answer["Content-Type"].startswith("text/x-python")
    assert answer["Content-Disposition"] == 'attachment; filename="mine.py"'
    module = module_of(answer.content.decode())
    assert module.success_check("any", {"ok": False}) is False
    assert module.success_check("any", {"ok": True}) is True
    assert module.explain("any", {"ok": False}).rule == "not-ok"


@pytest.mark.parametrize("name", ["http", "default"])
def test_built_in_checks_can_be_downloaded_in_every_format(project, agent_key, name):
    for kind in ("py", "ts", "json", "yaml"):
        answer = agent_key.get(f"/v1/success-checks/{name}.{kind}")
        assert answer.status_code == 200
        assert name in answer.content.decode()
    module = module_of(agent_key.get("/v1/success-checks/default.py").content.decode())
    assert module.success_check("any", "Error: no") is False
    assert module.success_check("any", None) is True


def test_downloads_are_of_the_requested_version(project, agent_key):
    a_check(project)
    a_check(project, BAD)
    newest = json.loads(agent_key.get("/v1/success-checks/mine.json").content)
    first = json.loads(agent_key.get("/v1/success-checks/mine.json?version=1").content)
    assert (newest["version"], newest["rules"][0]["id"]) == (2, "bad")
    assert (first["version"], first["rules"][0]["id"]) == (1, "not-ok")
    assert agent_key.get("/v1/success-checks/mine.yaml?version=1").content.decode() == TEXT
    assert "successCheck" in agent_key.get("/v1/success-checks/mine.ts").content.decode()
    for missing in ("mine.json?version=3", "other.py", "http.json?version=99", "..%2f.py"):
        assert agent_key.get(f"/v1/success-checks/{missing}").status_code == 404
    assert agent_key.get("/v1/success-checks/mine.json?version=x").status_code == 422


@pytest.mark.parametrize("kind", ["py", "ts", "json", "yaml"])
def test_a_current_etag_is_304_until_a_new_version_is_saved(project, agent_key, kind):
    a_check(project)
    path = f"/v1/success-checks/mine.{kind}"
    etag = agent_key.get(path)["ETag"]
    unchanged = agent_key.get(path, headers={"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged["ETag"] == etag
    a_check(project, BAD)
    changed = agent_key.get(path, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed["ETag"] != etag
    assert agent_key.get(f"{path}?version=1")["ETag"] == etag


def test_changed_includes_change_the_etag(project, agent_key, manager):
    a_check(project, name="base")
    a_check(project, include=("base",), name="mine")
    before = agent_key.get("/v1/success-checks/mine.json")["ETag"]
    a_check(project, BAD, name="base")
    manager.post("/v1/success-checks/mine/newer-included")
    assert agent_key.get("/v1/success-checks/mine.json")["ETag"] != before


def test_a_304_response_does_not_load_the_file(project, agent_key, django_assert_max_num_queries):
    a_check(project)
    etag = agent_key.get("/v1/success-checks/mine.json")["ETag"]
    with django_assert_max_num_queries(2) as queries:
        agent_key.get("/v1/success-checks/mine.json", headers={"If-None-Match": etag})
    assert not any("packed" in each["sql"] for each in queries.captured_queries)


def test_checks_of_another_project_are_404(project, agent_key):
    a_check(builders.a_project(), name="theirs")
    assert agent_key.get("/v1/success-checks/theirs.json").status_code == 404


def test_an_agent_key_can_only_download_files(project, agent_key):
    a_check(project)
    assert agent_key.get("/v1/success-checks/mine").status_code == 403
    assert agent_key.get("/v1/success-checks").status_code == 403


def test_bindings_can_be_read_and_replaced_as_a_list(project, manager, reader):
    a_check(project)
    empty = got(reader, "success-check-bindings")
    assert (empty["bindings"], empty["revision"]) == ([], 0)
    line = {"environment": "production", "agent": "*", "tool": "http_*", "check": "mine"}
    answer = put(manager, "success-check-bindings", bindings=[line], revision=0)
    assert (answer.status_code, answer.json()["revision"]) == (200, 1)
    assert got(reader, "success-check-bindings")["bindings"] == [line]
    stale = put(manager, "success-check-bindings", bindings=[], revision=0)
    assert (stale.status_code, stale.json()["code"]) == (409, "moved_on")
    assert put(manager, "success-check-bindings", bindings=[]).json()["bindings"] == []


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ({"tool": "x", "check": "nothing"}, "bindings[0].check"),
        ({"tool": "", "check": "http"}, "bindings[0].tool"),
        ({"tools": "x", "check": "http"}, "bindings.0.tool"),
    ],
)
def test_an_invalid_binding_is_422_with_its_path(manager, line, path):
    answer = put(manager, "success-check-bindings", bindings=[line])
    assert answer.status_code == 422
    assert path in [error["path"] for error in answer.json()["errors"]]


def test_the_json_schema_is_public():
    answer = Client().get("/v1/success-check-schema")
    assert answer["Content-Type"] == "application/schema+json"
    schema = json.loads(answer.content)
    assert "SuccessCheck" in json.dumps(schema)
    assert Client().get("/api/v1/success-check-schema").content == answer.content


def test_an_editors_session_can_save_a_check_and_a_viewers_cannot(project, client_as):
    for role, status in ((Role.EDITOR, 201), (Role.VIEWER, 403)):
        client = client_as(role)
        assert put(client, "success-checks/mine", yaml=TEXT).status_code == status

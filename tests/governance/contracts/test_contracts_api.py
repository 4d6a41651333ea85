"""Contracts over HTTP: store, validation, and evaluation of a call."""

import hashlib

import pytest
from django.test import Client

from governance.contracts.commands.contracts import save_version
from governance.contracts.queries.contracts import newest_version
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import AuditEntry, Deployment
from tests import builders
from tests.governance.contracts.documents import ALWAYS, EVIL, EVIL_TEXT, document, post, pre

TEXT = document(pre(ALWAYS))
OTHER = TEXT.replace("name: d", "name: other")


@pytest.fixture
def manager(project) -> Client:
    return builders.bearing(builders.a_key(project, "manage")[0])


@pytest.fixture
def reader(project) -> Client:
    return builders.bearing(builders.a_key(project, "read")[0])


def send(client: Client, path: str, **body: object):
    return client.post(f"/v1/{path}", body, content_type="application/json")


def saved(client: Client, text: str = TEXT, **more: object):
    answer = send(client, "contracts", yaml=text, **more)
    assert answer.status_code in (200, 201), answer.content
    return answer.json()


def test_a_new_version_is_201_and_the_same_bytes_are_200(manager):
    first = send(manager, "contracts", yaml=TEXT, message="The first")
    again = send(manager, "contracts", yaml=TEXT)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert (first.json()["name"], first.json()["version"]) == ("d", 1)
    assert first.json()["revision_hash"] == hashlib.sha256(TEXT.encode()).hexdigest()
    assert first.json()["message"] == "The first"


def test_an_invalid_contract_is_422_with_lines(manager):
    answer = send(manager, "contracts", yaml=TEXT.replace("type: pre", "type: prae"))
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_document")
    (error,) = answer.json()["errors"]
    assert error["path"] == "rules[0].type"
    assert error["line"] == TEXT[: TEXT.index("type: pre")].count("\n") + 1
    assert manager.get("/v1/contracts").json() == {"contracts": [], "next": None}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"yaml": 5},
        {"yaml": TEXT, "mesage": "misspelt"},
        {"yaml": TEXT, "message": "\0"},
        {"yaml": "\ud800"},
        {"yaml": TEXT, "message": "\ud800"},
    ],
    ids=["nothing", "no text", "misspelt", "NUL", "half a character", "half of one in the message"],
)
def test_an_invalid_contract_body_is_422(manager, body):
    answer = send(manager, "contracts", **body)
    assert answer.status_code == 422
    assert answer.json()["errors"]


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_a_version_is_returned_byte_for_byte(manager, reader, prefix):
    text = "# ümlaut \N{SNOWMAN}\r\n" + TEXT.replace("\n", "\r\n") + "   \r\n\r\n"
    made = saved(manager, text)
    saved(manager)
    version = reader.get(f"{prefix}/contracts/d/versions/1").json()
    assert version["yaml"] == text
    assert version["revision_hash"] == hashlib.sha256(text.encode()).hexdigest()
    assert {key: version[key] for key in made} == made
    newest = reader.get(f"{prefix}/contracts/d").json()
    assert (newest["version"], newest["yaml"]) == (2, TEXT)


def test_a_contract_has_its_version_history_and_deployments(manager, reader):
    for number in range(4):
        saved(manager, f"{TEXT}\n# {number}")
    for version, env in [(1, "staging"), (3, "production"), (2, "production")]:
        send(manager, "contracts/d/deployments", version=version, env=env)
    first = reader.get("/v1/contracts/d?limit=3").json()
    second = reader.get(f"/v1/contracts/d?limit=3&cursor={first['next']}").json()
    assert first["deployments"] == [
        {"env": "production", "version": 2},
        {"env": "staging", "version": 1},
    ]
    assert [each["version"] for each in first["versions"]] == [4, 3, 2]
    assert [each["version"] for each in second["versions"]] == [1]
    assert (second["version"], second["next"]) == (4, None)


def test_contracts_are_listed_by_name_with_their_newest_version(manager, reader):
    for text in (TEXT, f"{TEXT}\n", OTHER, TEXT.replace("name: d", "name: a.b_c-1")):
        saved(manager, text)
    send(manager, "contracts/d/deployments", version=1, env="production")
    first = reader.get("/v1/contracts?limit=2").json()
    second = reader.get(f"/v1/contracts?limit=2&cursor={first['next']}").json()
    listed = first["contracts"] + second["contracts"]
    assert [(each["name"], each["version"]) for each in listed] == [
        ("a.b_c-1", 1),
        ("d", 2),
        ("other", 1),
    ]
    assert listed[1]["deployments"] == [{"env": "production", "version": 1}]
    assert second["next"] is None
    assert not any("yaml" in each for each in listed)


def test_the_query_count_does_not_grow_with_the_list(
    manager, reader, project, django_assert_max_num_queries
):
    for number in range(5):
        saved(manager, TEXT.replace("name: d", f"name: d{number}"))
        send(manager, f"contracts/d{number}/deployments", version=1, env="production")
    with django_assert_max_num_queries(5):
        reader.get("/v1/contracts")


@pytest.mark.parametrize("name", ["validate", "evaluate", "explain"])
def test_a_contract_can_be_named_like_a_route(manager, reader, name):
    saved(manager, TEXT.replace("name: d", f"name: {name}"))
    assert reader.get(f"/v1/contracts/{name}").json()["name"] == name
    assert reader.get(f"/v1/contracts/{name}/versions/1").json()["name"] == name


@pytest.mark.parametrize(
    "path",
    [
        "contracts/nobody",
        "contracts/%00",
        "contracts/D",
        "contracts/d/versions/2",
        "contracts/d/versions/99999999999999999999999",
        "contracts/d/versions/newest",
        "contracts/nobody/deployments",
    ],
)
def test_unknown_contracts_and_versions_are_404(manager, reader, path):
    saved(manager)
    assert reader.get(f"/v1/{path}").status_code == 404


def test_contracts_of_another_project_are_404(manager):
    saved(manager)
    elsewhere = builders.bearing(builders.a_key(builders.a_project(), "manage")[0])
    assert elsewhere.get("/v1/contracts").json()["contracts"] == []
    assert elsewhere.get("/v1/contracts/d").status_code == 404
    assert elsewhere.get("/v1/contracts/d/deployments").status_code == 404
    answer = send(elsewhere, "contracts/d/deployments", version=1, env="production")
    assert answer.status_code == 404
    answer = send(elsewhere, "contracts/evaluate", name="d", tool_name="t", tool_args={})
    assert answer.status_code == 404


def test_a_deployment_is_201_and_repeating_it_is_200(manager):
    saved(manager)
    first = send(manager, "contracts/d/deployments", version=1, env="production")
    again = send(manager, "contracts/d/deployments", version="1", env="production")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    body = first.json()
    assert (body["version"], body["env"], body["live"]) == (1, "production", True)
    assert Deployment.objects.count() == 1


def test_deployments_are_listed_newest_first_with_the_live_one_marked(manager, reader):
    saved(manager)
    saved(manager, TEXT + "\n")
    for version, env in [(1, "production"), (1, "staging"), (2, "production")]:
        send(manager, "contracts/d/deployments", version=version, env=env)
    listed = reader.get("/v1/contracts/d/deployments").json()["deployments"]
    assert [(each["version"], each["env"], each["live"]) for each in listed] == [
        (2, "production", True),
        (1, "staging", True),
        (1, "production", False),
    ]
    page = reader.get("/v1/contracts/d/deployments?env=production&limit=1").json()
    rest = reader.get(f"/v1/contracts/d/deployments?env=production&cursor={page['next']}").json()
    assert [each["version"] for each in page["deployments"] + rest["deployments"]] == [2, 1]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"version": 2, "env": "production"}, 404),
        ({"version": 0, "env": "production"}, 422),
        ({"version": True, "env": "production"}, 422),
        ({"version": 10**30, "env": "production"}, 422),
        ({"version": 1}, 422),
        ({"version": 1, "env": "no name"}, 422),
        ({"version": 1, "env": "x", "force": True}, 422),
    ],
    ids=str,
)
def test_an_invalid_deployment_is_rejected(manager, body, status):
    saved(manager)
    assert send(manager, "contracts/d/deployments", **body).status_code == status
    assert not Deployment.objects.exists()


@pytest.mark.parametrize(
    "path",
    ["contracts?name=d", "contracts/d?version=1", "contracts?cursor=%00", "contracts?limit=0"],
)
def test_an_invalid_query_parameter_is_422(manager, path):
    saved(manager)
    assert manager.get(f"/v1/{path}").status_code == 422


def test_a_read_key_can_neither_save_nor_deploy(project, reader):
    version, _ = save_version(project, document=TEXT.encode(), by=CONSOLE)
    written = set(AuditEntry.objects.values_list("pk", flat=True))
    for answer in (
        send(reader, "contracts", yaml=OTHER),
        send(reader, "contracts/d/deployments", version=version.number, env="production"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "scope")
    assert newest_version(version.bundle) == version
    assert not Deployment.objects.exists()
    actions = AuditEntry.objects.exclude(pk__in=written).values_list("action", flat=True)
    assert set(actions) <= {"request refused"}  # identical ones are recorded once a minute


def test_an_editors_session_can_save_and_deploy_and_is_audited_as_a_person(client_as):
    editor = client_as(Role.EDITOR)
    saved(editor)
    answer = send(editor, "contracts/d/deployments", version=1, env="production")
    assert answer.status_code == 201
    assert {entry.actor.partition(":")[0] for entry in AuditEntry.objects.all()} == {"person"}


def test_an_api_key_is_audited_as_a_key(manager):
    saved(manager)
    assert AuditEntry.objects.get().actor.startswith("key:")


def test_validation_returns_errors_and_warnings_without_saving(reader):
    fine = send(reader, "contracts/validate", yaml=document(pre("{args.x.y: {exists: true}}")))
    odd = send(reader, "contracts/validate", yaml=document(pre("{arg.x: {exists: true}}")))
    bad = send(reader, "contracts/validate", yaml=TEXT.replace("rules:", "rulez:"))
    assert {answer.status_code for answer in (fine, odd, bad)} == {200}
    assert (fine.json()["valid"], fine.json()["errors"], fine.json()["warnings"]) == (True, [], [])
    assert odd.json()["valid"]
    (surprise,) = odd.json()["warnings"]
    assert (surprise["line"], surprise["path"]) == (7, "rules[0].when.arg.x")
    assert surprise["fix"] == "args.x"
    assert not bad.json()["valid"]
    assert bad.json()["errors"][0]["message"]
    assert reader.get("/v1/contracts").json()["contracts"] == []


def test_validation_rejects_names_that_cannot_be_saved(reader):
    text = TEXT.replace("name: d", "name: " + "x" * 129)
    body = send(reader, "contracts/validate", yaml=text).json()
    assert not body["valid"]
    assert body["errors"][0]["path"] == "metadata.name"


def evaluated(client: Client, **body: object):
    answer = send(client, "contracts/evaluate", **({"tool_name": "t", "tool_args": {}} | body))
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_call_can_be_evaluated_against_yaml(reader):
    verdict = evaluated(
        reader,
        yaml=document(pre("{principal.role: {equals: analyst}}", action="ask", message="why")),
        principal={"role": "analyst"},
    )
    assert (verdict["decision"], verdict["action"]) == ("block", "ask")
    (rule,) = verdict["rules"]
    assert {"id": "a", "type": "pre", "passed": False, "observed": False}.items() <= rule.items()
    assert (rule["message"], rule["action"]) == ("why", "ask")


def test_an_explanation_lists_every_rule_and_the_values_it_read(manager, reader):
    rules = (pre("{args.x: {gt: 1}}"), post("warn"))
    saved(manager, document(*rules))
    body = send(reader, "contracts/explain", name="d", tool_name="t", tool_args={"x": 7}).json()
    assert (body["decision"], body["action"], body["error"]) == ("block", "block", False)
    first, second = body["rules"]
    assert first["saw"] == [{"selector": "args.x", "value": "7", "missing": False, "note": ""}]
    assert (first["passed"], first["unasked"]) == (False, "")
    assert (second["passed"], second["unasked"]) == (None, "no_output")
    same = {"yaml": document(*rules), "tool_name": "t", "tool_args": {"x": 7}}
    assert send(reader, "contracts/explain", **same).json() == body


def test_a_call_can_be_evaluated_against_any_version_and_defaults_to_the_newest(manager, reader):
    saved(manager)
    saved(manager, document(pre("{tool.name: {equals: other}}")))
    assert evaluated(reader, name="d", version=1)["decision"] == "block"
    assert evaluated(reader, name="d", version="2")["decision"] == "allow"
    assert evaluated(reader, name="d")["decision"] == "allow"


def test_a_json_output_is_evaluated_as_agents_do(reader):
    text = document(post("warn"), more="tools: {t: {side_effect: read}}")
    assert evaluated(reader, yaml=text, output={"a": ["secret"]})["action"] == "warn"
    assert evaluated(reader, yaml=text, output="a secret")["action"] == "warn"
    assert evaluated(reader, yaml=text)["rules"] == []


def test_the_request_sets_the_environment_of_an_evaluated_call(reader):
    text = document(pre("{environment: {equals: staging}}"))
    assert evaluated(reader, yaml=text)["decision"] == "allow"
    assert evaluated(reader, yaml=text, environment="staging")["decision"] == "block"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"yaml": TEXT, "name": "d"}, 422),
        ({"yaml": TEXT, "version": 1}, 422),
        ({"name": "d", "version": 7}, 404),
        ({"yaml": TEXT, "tool_args": [1]}, 422),
        ({"yaml": TEXT, "tool_name": ""}, 422),
        ({"yaml": TEXT, "principal": {"role": ["a"], "claims": 5}}, 200),
        ({"yaml": TEXT, "tool_args": {"x": "\ud800", "y": float("nan"), "z": 10**40}}, 200),
        ({"yaml": "a: *b"}, 422),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_invalid_evaluation_request_is_rejected(manager, body, status):
    saved(manager)
    call = {"tool_name": "t", "tool_args": {}} | body
    for address in ("evaluate", "explain"):
        assert send(manager, f"contracts/{address}", **call).status_code == status


def test_deeply_nested_arguments_are_not_a_server_error(reader):
    deep: dict[str, object] = {}
    for _ in range(150):
        deep = {"x": deep}
    answer = send(reader, "contracts/evaluate", yaml=TEXT, tool_name="t", tool_args=deep)
    assert answer.status_code in (200, 422)


@pytest.mark.one_database
@pytest.mark.slow
def test_an_endless_evaluation_is_stopped_and_reported(reader):
    answer = send(
        reader, "contracts/evaluate", yaml=EVIL, tool_name="t", tool_args={"x": EVIL_TEXT}
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "evaluation_limit")
    assert evaluated(reader, yaml=TEXT)["decision"] == "block"

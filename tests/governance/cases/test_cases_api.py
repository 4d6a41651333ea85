"""Tests of a contract, over HTTP."""

import pytest
from django.test import Client

from governance.case_runs.queries import cases_of
from governance.cases.commands import add_case
from governance.core.actor import CONSOLE
from tests import builders
from tests.governance.casing import LAX, TEXT, a_case, a_session, added, saved

CALL = {
    "name": "75 is denied",
    "call": {"tool": "refund", "args": {"amount": 75}},
    "expects": {"action": "block", "rule": "too-much"},
}
SESSION = {
    "name": "third",
    "calls": [{"tool": "t", "args": {}, "times": 3}],
    "expects": {"stopped_at": 3, "rule": ""},
}


@pytest.fixture
def manager(project) -> Client:
    return builders.bearing(builders.a_key(project, "manage")[0])


@pytest.fixture
def bundle(project):
    return saved(project).bundle


def put(client, path="", **body):
    return client.put(f"/v1/contracts/d/cases{path}", body, content_type="application/json")


def post(client, path="", **body):
    return client.post(f"/v1/contracts/d/cases{path}", body, content_type="application/json")


def rows_in(answer) -> list[dict[str, object]]:
    assert answer.status_code == 200, answer.content
    return [
        {key: value for key, value in each.items() if key in CALL or key in SESSION}
        for each in answer.json()["cases"]
    ]


def test_a_put_replaces_all_cases_and_a_get_returns_them_unchanged(manager, bundle):
    put_there = put(manager, cases=[CALL, SESSION])
    assert rows_in(put_there) == rows_in(manager.get("/v1/contracts/d/cases"))
    assert rows_in(put_there) == [CALL | {"calls": None}, SESSION | {"call": None}]
    assert rows_in(put(manager, cases=[SESSION])) == [SESSION | {"call": None}]


def test_a_case_can_be_added_changed_and_removed(manager, bundle):
    answer = post(manager, **CALL)
    assert answer.status_code == 201
    number = answer.json()["id"]
    changed = put(manager, f"/{number}", **SESSION)
    assert changed.status_code == 200
    assert (changed.json()["id"], changed.json()["name"]) == (number, "third")
    assert manager.delete(f"/v1/contracts/d/cases/{number}").status_code == 204
    assert manager.delete(f"/v1/contracts/d/cases/{number}").status_code == 404
    assert cases_of(bundle) == []


def test_a_duplicate_name_is_409_and_names_the_field(manager, bundle):
    post(manager, **CALL)
    answer = post(manager, **CALL)
    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")
    assert answer.json()["errors"][0]["path"] == "name"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"call": None}, "either `call`"),
        ({"calls": SESSION["calls"]}, "either `call`"),
        ({"expects": {}}, "needs `expects.action`"),
        ({"expects": {"action": "block", "stopped_at": 1}}, "Only a session has"),
        ({"call": None, "calls": [{"tool": "t"}]}, "no `expects.action`"),
        ({"call": None, "calls": [{"tool": "t"}], "expects": {}}, "may be null"),
        ({"expects": {"action": "deny"}}, "expects.action"),
        ({"call": {"tool": ""}}, "1 to 256"),
        ({"name": "a\nb"}, "one line"),
        ({"more": 1}, "more"),
    ],
)
def test_an_invalid_case_is_422_with_the_reason(manager, bundle, changed, words):
    answer = post(manager, **(CALL | changed))
    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_cases_run_against_a_version_or_yaml_without_storing_the_results(manager, project, bundle):
    added(bundle, a_case(rule="too-much"), a_session())
    newest = post(manager, "/run").json()
    assert (newest["passed"], newest["failing"], newest["why"]) == (True, 0, None)
    lax = post(manager, "/run", yaml=LAX).json()
    assert (lax["passed"], lax["failing"]) == (False, 1)
    assert lax["results"][0] == {
        "name": "75 is denied",
        "passed": False,
        "expected": "denied by `too-much`",
        "got": "allowed",
    }
    broken = post(manager, "/run", yaml="x: [").json()
    assert (broken["passed"], broken["results"]) == (False, [])
    assert broken["why"]
    assert post(manager, "/run", version=9).status_code == 404
    assert post(manager, "/run", version=1, yaml=TEXT).status_code == 422
    assert manager.get("/v1/contracts/d/versions/1/cases").status_code == 404


def test_tests_in_the_request_run_instead_of_the_saved_tests(manager, project, bundle):
    added(bundle, a_case(rule="too-much"))
    failing = CALL | {"expects": {"action": "allow"}}
    for body in ({"yaml": TEXT}, {"version": 1}, {}):
        ran = post(manager, "/run", cases=[failing], **body).json()
        assert [each["passed"] for each in ran["results"]] == [False]
    assert post(manager, "/run", yaml=TEXT, cases=[]).json()["results"] == []
    unnamed = post(manager, "/run", yaml=TEXT, cases=[CALL | {"name": ""}])
    assert unnamed.status_code == 422
    new = "/v1/contracts/not-saved-yet/cases/run"
    ran = manager.post(new, {"yaml": TEXT, "cases": [CALL]}, content_type="application/json")
    assert ran.json()["passed"] is True
    assert manager.post(new, {"yaml": TEXT}, content_type="application/json").status_code == 404


def test_test_results_are_stored_when_a_version_is_saved(manager, project, bundle):
    added(bundle, a_case())
    saved(project, LAX)
    body = manager.get("/v1/contracts/d/versions/2/cases").json()
    assert (body["passed"], body["failing"]) == (False, 1)
    assert body["ran_at"]


def test_deploying_with_a_failing_case_is_409(manager, project, bundle):
    add_case(bundle, a_case(action="allow"), by=CONSOLE)
    body = {"version": 1, "env": "production"}
    there = "/v1/contracts/d/deployments"
    answer = manager.post(there, body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "tests_failing")
    body |= {"override": "It is known."}
    answer = manager.post(there, body, content_type="application/json")
    assert (answer.status_code, answer.json()["override"]) == (201, "It is known.")

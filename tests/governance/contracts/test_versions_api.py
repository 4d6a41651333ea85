"""Versions over HTTP: both formats, the outline, and comparisons."""

import hashlib

import pytest

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from tests import builders
from tests.governance.serving import IN_OLD_WORDS, TEXT

OTHER = TEXT.replace("equals: 1", "equals: 2")


@pytest.fixture
def reader(project):
    return builders.bearing(builders.a_key(project, "read")[0])


@pytest.fixture
def _three_versions(project):
    for text in (TEXT, OTHER, OTHER + "\n# a word\n"):
        save_version(project, document=text, by=CONSOLE)


pytestmark = pytest.mark.usefixtures("_three_versions")


@pytest.mark.parametrize(
    ("query", "dialect", "text"),
    [("", "new", TEXT), ("?dialect=new", "new", TEXT), ("?dialect=old", "old", IN_OLD_WORDS)],
)
def test_a_version_is_returned_in_the_requested_format(reader, query, dialect, text):
    body = reader.get(f"/v1/contracts/d/versions/1{query}").json()
    assert (body["yaml"], body["dialect"]) == (text, dialect)
    assert body["revision_hash"] == hashlib.sha256(text.encode()).hexdigest()


def test_an_unknown_format_is_422(reader):
    assert reader.get("/v1/contracts/d/versions/1?dialect=other").status_code == 422


def test_the_outline_has_every_rule_with_its_line_numbers(reader):
    body = reader.get("/v1/contracts/d/versions/1/outline").json()
    assert body["rules"] == [
        {"id": "a", "type": "pre", "tool": "*", "line": 7, "end_line": 7},
        {"id": "b", "type": "pre", "tool": "*", "line": 8, "end_line": 8},
    ]


def test_any_two_versions_can_be_compared_by_meaning(reader):
    body = reader.get("/v1/contracts/d/compare?from=1&to=2").json()
    assert body == {
        "name": "d",
        "from": 1,
        "to": 2,
        "same_text": False,
        "changes": [
            {
                "kind": "changed",
                "subject": "b",
                "what": "`args.x` is",
                "before": "1",
                "after": "2",
            }
        ],
    }


def test_by_default_the_newest_version_is_compared_with_its_predecessor(reader):
    body = reader.get("/v1/contracts/d/compare").json()
    assert (body["from"], body["to"]) == (2, 3)
    assert (body["same_text"], body["changes"]) == (False, [])
    back = reader.get("/v1/contracts/d/compare?from=3&to=3").json()
    assert (back["same_text"], back["changes"]) == (True, [])


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("d/compare?from=9", 404),
        ("d/compare?from=0", 422),
        ("d/compare?form=1", 422),
        ("nothing/compare", 404),
        ("d/versions/9/outline", 404),
        ("nothing/versions/1/outline", 404),
    ],
)
def test_unknown_versions_are_rejected(reader, path, status):
    assert reader.get(f"/v1/contracts/{path}").status_code == status


def test_yaml_can_be_compared_before_it_is_saved(reader):
    def compare(**body):
        return reader.post("/v1/contracts/d/compare", body, content_type="application/json")

    answer = compare(yaml=OTHER.replace("equals: 2", "equals: 3")).json()
    assert (answer["from"], answer["same_text"]) == (3, False)
    (change,) = answer["changes"]
    assert (change["subject"], change["before"], change["after"]) == ("b", "2", "3")
    same = compare(**{"yaml": TEXT, "from": 1}).json()
    assert (same["from"], same["same_text"], same["changes"]) == (1, True, [])
    assert compare(yaml="a: [").status_code == 422
    assert compare(yaml="a: \ud800").status_code == 422
    assert compare(**{"yaml": TEXT, "from": 9}).status_code == 404


def test_enforcing_an_observe_mode_contract_creates_a_version(project):
    manager = builders.bearing(builders.a_key(project, "manage")[0])
    observing = TEXT.replace("mode: enforce", "mode: observe")
    save_version(project, document=observing, by=CONSOLE)

    def enforce(**body):
        return manager.post("/v1/contracts/d/enforcements", body, content_type="application/json")

    made = enforce()
    assert (made.status_code, made.json()["version"]) == (201, 5)
    assert manager.get("/v1/contracts/d").json()["yaml"] == TEXT
    assert manager.get("/v1/contracts/d/deployments").json()["deployments"] == []
    again = enforce()
    assert (again.status_code, again.json()["code"]) == (409, "enforces")
    same = enforce(version=4)
    assert (same.status_code, same.json()["version"]) == (200, 5)
    assert enforce(version=9).status_code == 404


def test_templates_are_listed_and_valid(reader):
    listed = reader.get("/v1/contract-templates").json()["templates"]
    assert len(listed) == 6
    assert all(each["description"] for each in listed)
    for each in listed:
        body = reader.get(f"/v1/contract-templates/{each['name']}").json()
        checked = reader.post(
            "/v1/contracts/validate", {"yaml": body["yaml"]}, content_type="application/json"
        )
        assert (checked.json()["valid"], checked.json()["name"]) == (True, each["name"])
    assert reader.get("/v1/contract-templates/nothing").status_code == 404

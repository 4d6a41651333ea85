"""Drafts over HTTP: private to their author, and never overwritten from a stale revision."""

import pytest

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre

TEXT = document(pre(ALWAYS), pre(ALWAYS, rule_id="b"))
DRAFTS = "/v1/contract-drafts"


@pytest.fixture
def me(project):
    return builders.signed_in(builders.a_member(project, Role.EDITOR).user)


def sent(client, method, path, **body):
    answer = getattr(client, method)(path, body, content_type="application/json")
    return answer.status_code, answer.json() if answer.content else None


def saved(project, text):
    return save_version(project, document=text, by=CONSOLE)[0]


def test_a_draft_of_a_new_contract_becomes_its_first_version(me):
    status, draft = sent(me, "post", DRAFTS, yaml="name: not yet")
    assert (status, draft["name"], draft["base"]) == (201, None, None)
    at = f"{DRAFTS}/{draft['id']}"
    status, result = sent(me, "put", at, yaml=TEXT, revision=draft["revision"])
    assert (status, result["yaml"]) == (200, TEXT)
    assert me.get(at).json() == result
    assert [each["id"] for each in me.get(DRAFTS).json()["drafts"]] == [draft["id"]]
    status, version = sent(
        me, "post", f"{at}/versions", revision=result["revision"], message="By hand."
    )
    assert (status, version["name"], version["version"], version["message"]) == (
        *(201, "d", 1),
        "By hand.",
    )
    assert me.get(at).status_code == 404


def test_a_stale_revision_is_409_and_overwrites_nothing(project, me):
    _, draft = sent(me, "post", DRAFTS, yaml="one")
    at, seen = f"{DRAFTS}/{draft['id']}", draft["revision"]
    assert sent(me, "put", at, yaml="two", revision=seen)[0] == 200
    for method, path, more in (
        ("put", at, {"yaml": "three"}),
        ("post", f"{at}/versions", {}),
    ):
        status, result = sent(me, method, path, revision=seen, **more)
        assert (status, result["code"]) == (409, "draft_elsewhere")
    assert me.delete(f"{at}?revision={seen}").status_code == 409
    now = me.get(at).json()
    assert now["yaml"] == "two"
    here = f"revision={now['revision']}&project={project.slug}"
    assert me.delete(f"{at}?{here}").status_code == 204
    assert me.get(DRAFTS).json() == {"drafts": []}


def test_a_rebase_merges_the_newer_version_into_the_draft(project, me):
    saved(project, TEXT)
    mine = TEXT.replace("id: b", "id: mine")
    _, draft = sent(me, "post", DRAFTS, name="d", yaml=mine)
    assert (draft["name"], draft["base"]) == ("d", 1)
    at, seen = f"{DRAFTS}/{draft['id']}", draft["revision"]
    assert sent(me, "post", f"{at}/rebase", revision=seen)[0] == 409
    saved(project, f"# theirs\n{TEXT}")
    status, result = sent(me, "post", f"{at}/versions", revision=seen)
    assert (status, result["code"]) == (409, "moved_on")
    status, both = sent(me, "post", f"{at}/rebase", revision=seen)
    assert (status, both["base"], both["conflicts"]) == (200, 2, 0)
    assert both["yaml"] == f"# theirs\n{mine}"
    assert sent(me, "post", f"{at}/versions", revision=both["revision"])[0] == 201


def test_a_second_draft_of_the_same_contract_is_409(project, me):
    saved(project, TEXT)
    assert sent(me, "post", DRAFTS, name="d", yaml=TEXT)[0] == 201
    status, result = sent(me, "post", DRAFTS, name="d", yaml=f"{TEXT}\n")
    assert (status, result["code"]) == (409, "draft_elsewhere")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"yaml": "x", "name": "nobody"}, 404),
        ({"yaml": "x", "name": "d", "base": 9}, 404),
        ({"yaml": "x", "base": 1}, 422),
        ({"yaml": "a\0"}, 422),
        ({"yaml": "x", "odd": 1}, 422),
    ],
)
def test_an_invalid_draft_request_is_rejected(project, me, body, status):
    saved(project, TEXT)
    assert sent(me, "post", DRAFTS, **body)[0] == status


def test_drafts_are_private_to_their_owner_and_unavailable_to_api_keys(project, me):
    _, draft = sent(me, "post", DRAFTS, yaml=TEXT)
    other = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    assert other.get(f"{DRAFTS}/{draft['id']}").status_code == 404
    assert other.get(DRAFTS).json() == {"drafts": []}
    key = builders.bearing(builders.a_key(project, "manage")[0])
    answer = key.get(DRAFTS)
    assert (answer.status_code, answer.json()["detail"]) == (
        403,
        "Only people have drafts. Sign in, or save a version.",
    )

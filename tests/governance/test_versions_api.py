"""Versions over HTTP: in either dialect, their outline, and what changed between two."""

import hashlib

import pytest

from governance import commands
from governance.domain.actor import CONSOLE
from tests import builders
from tests.governance.serving import IN_OLD_WORDS, TEXT

OTHER = TEXT.replace("equals: 1", "equals: 2")


@pytest.fixture
def reader(project):
    return builders.bearing(builders.a_key(project, "read")[0])


@pytest.fixture
def _three_versions(project):
    for text in (TEXT, OTHER, OTHER + "\n# a word\n"):
        commands.save_version(project, document=text, by=CONSOLE)


pytestmark = pytest.mark.usefixtures("_three_versions")


@pytest.mark.parametrize(
    ("query", "dialect", "text"),
    [("", "new", TEXT), ("?dialect=new", "new", TEXT), ("?dialect=old", "old", IN_OLD_WORDS)],
)
def test_a_version_comes_in_the_dialect_that_is_asked_for(reader, query, dialect, text):
    told = reader.get(f"/v1/contracts/d/versions/1{query}").json()
    assert (told["yaml"], told["dialect"]) == (text, dialect)
    assert told["revision_hash"] == hashlib.sha256(text.encode()).hexdigest()


def test_there_is_no_third_dialect(reader):
    assert reader.get("/v1/contracts/d/versions/1?dialect=other").status_code == 422


def test_the_outline_has_every_rule_with_its_lines(reader):
    told = reader.get("/v1/contracts/d/versions/1/outline").json()
    assert told["rules"] == [
        {"id": "a", "type": "pre", "tool": "*", "line": 7, "end_line": 7},
        {"id": "b", "type": "pre", "tool": "*", "line": 8, "end_line": 8},
    ]


def test_any_two_versions_are_compared_by_meaning(reader):
    told = reader.get("/v1/contracts/d/compare?from=1&to=2").json()
    assert told == {
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


def test_without_a_choice_the_newest_is_compared_with_the_one_before(reader):
    told = reader.get("/v1/contracts/d/compare").json()
    assert (told["from"], told["to"]) == (2, 3)
    assert (told["same_text"], told["changes"]) == (False, [])
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
def test_what_is_not_there_is_refused(reader, path, status):
    assert reader.get(f"/v1/contracts/{path}").status_code == status

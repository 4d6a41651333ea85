"""Built-in checks: each compiles, tells success from failure, and is immutable per version."""

import hashlib
from functools import cache
from pathlib import Path

import pytest

from governance.checks.language import shipped as package
from governance.checks.language.shipped import shipped, shipped_text
from governance.checks.language.shipped.versions import VERSIONS
from governance.checks.language.text import CheckedText, check_text

FOLDER = Path(package.__file__).parent
# name, version, SHA-256: a released text never changes under its version.
TEXTS = Path(__file__).parents[3] / "fixtures" / "shipped-checks.txt"

each = pytest.mark.parametrize("name", VERSIONS)


@cache
def checked(name: str) -> CheckedText:
    text = shipped_text(name)
    assert text is not None
    return check_text(text, included=lambda other: None, version=VERSIONS[name])


def test_every_built_in_check_has_a_version():
    assert {file.stem for file in FOLDER.glob("*.yaml")} == set(VERSIONS) == set(shipped())
    assert len(shipped()) == len(VERSIONS)


@each
def test_a_built_in_check_is_valid_and_named_after_its_file(name):
    assert [str(problem) for problem in checked(name).problems] == []
    assert (checked(name).name, shipped()[name]["name"]) == (name, name)
    assert shipped()[name]["version"] == VERSIONS[name]
    assert checked(name).description


@each
def test_a_built_in_check_has_examples_of_success_and_failure(name):
    verdicts = [example.expected for example in checked(name).examples]
    assert verdicts.count("success") >= 2
    assert "failure" in verdicts


@each
def test_a_built_in_check_falls_back_to_the_default_check(name):
    assert shipped()[name]["otherwise"] == "default"


@each
def test_a_built_in_check_includes_no_other(name):
    assert not any(rule["of"] for rule in shipped()[name]["rules"])


def test_all_built_in_checks_can_be_included_together():
    including = "\n".join(
        [
            "apiVersion: edictum-site/v1",
            "kind: SuccessCheck",
            "metadata: {name: all-of-them}",
            "otherwise: default",
            "include:",
            *(f"  - {name}" for name in VERSIONS),
        ]
    )
    read_check = check_text(including, included=shipped().get)
    assert [str(problem) for problem in read_check.problems] == []
    assert read_check.compiled is not None
    assert len(read_check.compiled["rules"]) == sum(
        len(check["rules"]) for check in shipped().values()
    )
    assert {rule["of_version"] for rule in read_check.compiled["rules"]} == set(VERSIONS.values())


def test_unknown_names_are_not_built_in_checks():
    assert shipped_text("default") is None
    assert shipped().get("default") is None
    with pytest.raises(KeyError):
        shipped()["../versions"]


def test_a_changed_built_in_check_has_a_new_version():
    fields = {
        (name, int(version)): digest
        for name, version, digest in map(str.split, TEXTS.read_text().splitlines())
    }
    now = {
        (name, version): hashlib.sha256((shipped_text(name) or "").encode()).hexdigest()
        for name, version in VERSIONS.items()
    }
    assert {key: fields.get(key) for key in now} == now

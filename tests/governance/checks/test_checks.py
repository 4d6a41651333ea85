"""Named checks: immutable versions with pinned includes."""

import hashlib

import pytest

from governance import audit_log as audit
from governance.checks.commands.checks import include_newer, save_check
from governance.checks.language.text import check_text as check_document
from governance.checks.queries.checks import (
    check_named,
    check_names,
    check_versions_before,
    included_by,
    newer_included,
    newest_check_versions,
    newest_compiled,
    ours,
)
from governance.core.actor import CONSOLE
from governance.core.errors import DocumentInvalid, Forbidden, InvalidInput
from governance.core.roles import Role
from governance.drafts.commands import Grown, MovedOn
from governance.models import AuditEntry, Check, CheckVersion
from governance.people.policies import RoleNeeded
from tests import builders
from tests.governance.contracts.test_drafts import an_editor
from tests.governance.naming import FAILS, a_check, check_text

TEXT = check_text(FAILS)


def saved(project, text: str = TEXT, **more) -> CheckVersion:
    return save_check(project, document=text, by=CONSOLE, **more)[0]


def test_a_save_stores_the_exact_bytes_and_the_compiled_check(project):
    text = TEXT + "# a comment, with an ä and a \t tab\r\n"
    version = saved(project, text, message="  The first  ")
    version.refresh_from_db()
    assert bytes(version.document) == text.encode()
    assert version.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert (str(version), version.message, version.rules) == ("mine v1", "The first", 1)
    assert version.description == "What mine is for"
    assert version.compiled["version"] == 1
    assert [rule["id"] for rule in version.compiled["rules"]] == ["not-ok"]


def test_saving_different_bytes_creates_a_version_and_the_same_bytes_do_not(project):
    first, is_new = save_check(project, document=TEXT, by=CONSOLE)
    assert is_new
    assert save_check(project, document=TEXT, by=CONSOLE) == (first, False)
    second = saved(project, TEXT + "# more\n")
    assert second.number == 2
    assert second.compiled["version"] == 2
    # Reverting to an old text is also a version: the newest one applies.
    assert saved(project, TEXT).number == 3


def test_an_invalid_check_is_rejected_with_its_line_and_not_stored(project):
    with pytest.raises(DocumentInvalid) as refused:
        saved(project, TEXT.replace("verdict: failure", "verdict: fail"))
    assert refused.value.errors[0].line == 6
    assert not Check.objects.exists()


def test_a_save_that_breaks_an_example_is_rejected_at_its_line(project):
    text = check_text(FAILS, examples=("{result: {ok: false}, verdict: success}",))
    with pytest.raises(DocumentInvalid) as refused:
        saved(project, text)
    assert refused.value.errors[0].line == text.splitlines().index("examples:") + 2


@pytest.mark.parametrize("name", ["http", "default"])
def test_a_check_cannot_use_the_name_of_a_built_in_check(project, name):
    with pytest.raises(DocumentInvalid, match="is a built-in check") as refused:
        saved(project, TEXT.replace("name: mine", f"name: {name}"))
    assert refused.value.errors[0].path == "metadata.name"
    assert not Check.objects.exists()


def test_a_projects_check_overrides_a_later_built_in_check_of_the_same_name(project, monkeypatch):
    version = saved(project)
    monkeypatch.setattr("governance.checks.queries.checks.VERSIONS", {"mine": 9})
    assert newest_compiled(project.pk, ["mine"]) == {"mine": version.compiled}
    assert saved(project, TEXT + "# more\n").number == 2


def test_a_check_with_an_unexpected_name_is_rejected(project):
    with pytest.raises(DocumentInvalid, match="This check is named `other`") as refused:
        saved(project, TEXT, name="other")
    assert refused.value.errors[0].fix == "other"


def test_a_save_based_on_an_older_version_is_rejected(project):
    saved(project)
    saved(project, TEXT + "# two\n")
    with pytest.raises(MovedOn) as refused:
        saved(project, TEXT + "# three\n", grown=Grown("mine", 1))
    assert refused.value.newest.number == 2


def test_included_rules_are_pinned_and_newer_versions_are_offered(project):
    a_check(project, name="base")
    mine = saved(project, check_text(include=("base",)))
    assert mine.included == [{"name": "base", "version": 1}]
    assert newer_included(mine) == []
    a_check(project, "{when: {result.bad: {exists: true}}, id: bad, verdict: failure}", name="base")
    assert [rule["id"] for rule in mine.compiled["rules"]] == ["not-ok"]
    (newer,) = newer_included(mine)
    assert (newer.name, newer.included, newer.newest) == ("base", 1, 2)
    assert included_by(project) == {"base": ["mine"]}


BAD = "{when: {result.bad: {exists: true}}, id: bad, verdict: failure}"


def test_a_save_retains_included_versions_unless_newer_ones_are_requested(project):
    a_check(project, name="base")
    text = check_text(include=("base", "http"))
    first = saved(project, text)
    a_check(project, BAD, name="base")
    result = saved(project, text + "# two\n")
    assert result.included == first.included
    assert result.compiled["rules"] == first.compiled["rules"]
    assert result.compiled["automata"] == first.compiled["automata"]
    assert saved(project, text + "# two\n") == result
    outcome = saved(project, text + "# two\n", newer=["base"])
    assert (outcome.number, outcome.included[0]) == (3, {"name": "base", "version": 2})
    assert outcome.compiled["rules"][0]["id"] == "bad"
    assert saved(project, text + "# four\n").included == outcome.included


def test_a_new_include_uses_the_newest_version_of_its_check(project):
    a_check(project, name="base")
    saved(project, check_text(include=("base",)))
    saved(project, TEXT)
    a_check(project, BAD, name="base")
    again = saved(project, check_text(include=("base",)))
    assert again.included == [{"name": "base", "version": 2}]


def test_an_include_without_rules_is_also_pinned(project):
    saved(project, check_text(name="base"))
    mine = saved(project, check_text(include=("base",)))
    a_check(project, BAD, name="base")
    checked = saved(project, check_text(include=("base",)) + "# two\n")
    assert (checked.included, checked.compiled["rules"]) == (mine.included, mine.compiled["rules"])


def test_adopting_newer_includes_creates_a_version_with_the_same_yaml(project):
    a_check(project, name="base")
    mine = saved(project, check_text(include=("base",)))
    assert include_newer(mine, by=CONSOLE) == (mine, False)
    a_check(project, "{when: {result.bad: {exists: true}}, id: bad, verdict: failure}", name="base")
    result, is_new = include_newer(mine, by=CONSOLE)
    assert (is_new, result.number, result.message) == (True, 2, "Include base v2")
    assert bytes(result.document) == bytes(mine.document)
    assert [rule["id"] for rule in result.compiled["rules"]] == ["bad"]
    assert newer_included(result) == []


def test_a_newer_include_that_breaks_an_example_is_not_adopted(project):
    a_check(project, name="base")
    example = "{result: {bad: 1}, verdict: success}"
    mine = saved(project, check_text(include=("base",), examples=(example,)))
    a_check(project, "{when: {result.bad: {exists: true}}, id: bad, verdict: failure}", name="base")
    with pytest.raises(DocumentInvalid):
        include_newer(mine, by=CONSOLE)
    assert CheckVersion.objects.filter(success_check__name="mine").count() == 1


def test_built_in_checks_are_included_at_their_current_version(project):
    mine = saved(project, check_text(include=("http",)))
    assert [each["name"] for each in mine.included] == ["http"]
    brought = newest_compiled(project.pk, ["http", "default"])
    assert brought["http"]["name"] == "http"
    default = brought["default"]
    assert (default["otherwise"], default["rules"]) == ("default", [])


def test_built_in_checks_parse_without_problems(project):
    for each in ours():
        assert check_document(each.text, included=lambda name: None).problems == ()
        assert each.compiled["name"] == each.name
        assert each.compiled["version"] == each.version
        assert sum(rule["of"] is None for rule in each.compiled["rules"]) == each.rules
        assert each.description


def test_an_operator_cannot_save_checks(project):
    viewer = an_editor(project, Role.OPERATOR)
    with pytest.raises(RoleNeeded):
        save_check(project, document=TEXT, by=viewer)
    with pytest.raises(Forbidden):
        include_newer(saved(project), by=viewer)


def test_an_invalid_message_is_rejected(project):
    with pytest.raises(InvalidInput):
        saved(project, message="x" * 2_001)


def test_a_save_is_audited_unless_the_bytes_are_unchanged(project):
    a_check(project, name="base")
    saved(project, check_text(include=("base",)), message="why")
    saved(project, check_text(include=("base",)))
    entries = AuditEntry.objects.filter(action="check saved").order_by("number")
    assert [entry.subject for entry in entries] == ["base v1", "mine v1"]
    assert entries[1].details["included"] == ["base v1"]
    assert entries[1].details["message"] == "why"
    assert audit.verify(project) is None


def test_checks_belong_to_their_project(project):
    saved(project)
    other = builders.a_project()
    assert check_named(other, "mine") is None
    assert newest_compiled(other.pk, ["mine"]) == {}
    assert newest_check_versions(other, "", 10) == []
    assert "mine" in check_names(project)
    assert "mine" not in check_names(other)


def test_the_list_has_the_newest_version_of_each_check_in_one_query(
    project, django_assert_num_queries
):
    saved(project)
    saved(project, TEXT + "# two\n")
    a_check(project, name="another")
    with django_assert_num_queries(1):
        result = newest_check_versions(project, "", 10)
        assert [str(each) for each in result] == ["another v1", "mine v2"]
    check = check_named(project, "mine")
    assert check is not None
    assert [each.number for each in check_versions_before(check, 2, 10)] == [1]

"""Drafts of checks: stored like those of contracts, and saved as versions."""

import pytest

from governance.checks.commands.drafts import (
    begin_check_draft,
    discard_check_draft,
    keep_check_draft,
    keep_new_check_draft,
    rebase_check_draft,
    save_check_draft,
)
from governance.checks.language.text import MAX_BYTES
from governance.checks.queries.drafts import (
    check_draft_of,
    check_drafts_of,
    check_drafts_of_others,
    new_check_draft_numbered,
)
from governance.core.actor import CONSOLE, Actor
from governance.core.errors import DocumentInvalid, Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.drafts.commands import MovedOn
from governance.drafts.storage import DraftElsewhere
from governance.models import AuditEntry, Check, CheckDraft
from governance.people.policies import RoleNeeded
from tests import builders
from tests.governance.contracts.test_drafts import an_editor
from tests.governance.naming import FAILS, a_check, check_text

TEXT = check_text(FAILS)


@pytest.fixture
def me(project) -> Actor:
    return an_editor(project)


@pytest.fixture
def check(project) -> Check:
    return a_check(project).success_check


def saved(check: Check, me: Actor, text: str, *, base: int = 1, seen: str = "") -> CheckDraft:
    return keep_check_draft(check, text=text, base=base, seen=seen, by=me)


def present(check: Check, me: Actor) -> CheckDraft:
    draft = check_draft_of(check, me.id or 0)
    assert draft is not None
    return draft


def test_a_draft_can_be_invalid_and_becomes_the_next_version_once_valid(project, check, me):
    first = saved(check, me, "rules: nonsense")
    with pytest.raises(DocumentInvalid):
        save_check_draft(first, by=me)
    saved(check, me, TEXT + "# more\n", seen=first.revision)
    version, is_new = save_check_draft(present(check, me), message="more", by=me)
    assert (str(version), version.message, is_new) == ("mine v2", "more", True)
    assert check_drafts_of(project, me.id or 0) == []


def test_a_draft_does_not_overwrite_another_tab(check, me):
    first = saved(check, me, "one")
    saved(check, me, "two", seen=first.revision)
    with pytest.raises(DraftElsewhere) as refused:
        saved(check, me, "three", seen=first.revision)
    assert refused.value.present.text == "two"
    assert present(check, me).text == "two"


def test_saving_a_draft_of_an_older_version_requires_a_rebase(project, check, me):
    mine = saved(check, me, "# mine\n" + TEXT)
    newer = a_check(project, FAILS.replace("not-ok", "not-fine"))
    with pytest.raises(MovedOn):
        save_check_draft(mine, by=me)
    assert rebase_check_draft(mine, newer, seen=mine.revision, by=me) == 0
    now = present(check, me)
    assert now.base == 2
    assert "not-fine" in now.text
    assert now.text.startswith("# mine\n")
    assert save_check_draft(now, by=me)[0].number == 3


def test_a_draft_cannot_rename_its_check(check, me):
    with pytest.raises(DocumentInvalid, match="This check is named `mine`"):
        save_check_draft(saved(check, me, TEXT.replace("name: mine", "name: other")), by=me)


def test_a_draft_of_a_new_check_becomes_its_first_version(project, me):
    draft = begin_check_draft(project, text="half", by=me)
    result = new_check_draft_numbered(project, me.id or 0, draft.pk)
    assert result is not None
    keep_new_check_draft(result, text=TEXT, seen=result.revision, by=me)
    again = new_check_draft_numbered(project, me.id or 0, draft.pk)
    assert again is not None
    assert str(save_check_draft(again, by=me)[0]) == "mine v1"
    assert not CheckDraft.objects.exists()


def test_a_draft_of_a_new_check_cannot_overwrite_an_existing_check(project, check, me):
    draft = begin_check_draft(project, text=TEXT + "# another\n", by=me)
    with pytest.raises(MovedOn):
        save_check_draft(draft, by=me)


def test_only_the_author_can_read_a_draft(project, check, me):
    other = an_editor(project)
    draft = begin_check_draft(project, text="half", by=me)
    assert new_check_draft_numbered(project, other.id or 0, draft.pk) is None
    saved(check, me, "mine")
    assert check_draft_of(check, other.id or 0) is None
    (seen,) = check_drafts_of_others(check, other.id or 0)
    assert seen.person.email == me.label
    assert check_drafts_of_others(check, me.id or 0) == []


def test_a_discarded_draft_is_removed_and_audited(check, me):
    draft = saved(check, me, "half")
    with pytest.raises(DraftElsewhere):
        discard_check_draft(draft, seen="another", by=me)
    discard_check_draft(draft, seen=draft.revision, by=me)
    with pytest.raises(NotFound):
        discard_check_draft(draft, seen=draft.revision, by=me)
    assert AuditEntry.objects.latest("number").subject == "draft of the check mine"


def test_a_draft_with_invalid_characters_or_size_is_rejected(project, check, me):
    for text in ("x" * (MAX_BYTES + 1), "a\0b", "\ud800"):
        with pytest.raises(InvalidInput):
            saved(check, me, text)
    with pytest.raises(NotFound):
        saved(check, me, TEXT, base=7)


def test_only_editors_can_create_drafts(project, check):
    with pytest.raises(Forbidden):
        begin_check_draft(project, text=TEXT, by=CONSOLE)
    with pytest.raises(RoleNeeded):
        saved(check, an_editor(project, Role.OPERATOR), TEXT)


def test_drafts_of_new_checks_are_limited_per_person(project, me, monkeypatch):
    monkeypatch.setattr("governance.drafts.storage.MOST_NEW", 1)
    begin_check_draft(project, text="one", by=me)
    with pytest.raises(InvalidInput, match="new checks"):
        begin_check_draft(project, text="two", by=me)
    begin_check_draft(builders.a_project(), text="two", by=me)

"""Drafts: stored as written, and never overwritten from a stale revision."""

import pytest

from governance import audit_log as audit
from governance.contracts.commands.contracts import save_version
from governance.contracts.commands.drafts import (
    begin_draft,
    discard_draft,
    keep_draft,
    keep_new_draft,
    rebase_draft,
    save_draft,
)
from governance.contracts.queries.drafts import (
    draft_of,
    drafts_of,
    drafts_of_others,
    new_draft_numbered,
)
from governance.core.actor import CONSOLE, Actor, person
from governance.core.errors import DocumentInvalid, Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.drafts.commands import MovedOn
from governance.drafts.storage import DraftElsewhere
from governance.models import Bundle, BundleVersion, Draft
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre

TEXT = document(pre(ALWAYS), pre(ALWAYS, rule_id="b"))


def an_editor(project, role: Role = Role.EDITOR) -> Actor:
    member = builders.a_member(project, role)
    return person(member.user_id, member.user.email, role)


def saved(project, text: str = TEXT) -> BundleVersion:
    return save_version(project, document=text, by=CONSOLE)[0]


def text_of(version: BundleVersion) -> str:
    return bytes(version.document).decode()


@pytest.fixture
def me(project) -> Actor:
    return an_editor(project)


@pytest.fixture
def bundle(project) -> Bundle:
    return saved(project).bundle


def stored_draft(bundle, me, text: str, *, base: int = 1, seen: str = "") -> Draft:
    return keep_draft(bundle, text=text, base=base, seen=seen, by=me)


def present(bundle: Bundle, me: Actor) -> Draft:
    draft = draft_of(bundle, me.id or 0)
    assert draft is not None
    return draft


def present_new(project, me: Actor, number: int) -> Draft:
    draft = new_draft_numbered(project, me.id or 0, number)
    assert draft is not None
    return draft


def test_a_draft_is_stored_unchanged(bundle, me):
    draft = stored_draft(bundle, me, TEXT + "# mine")
    result = present(bundle, me)
    assert result == draft
    assert result.text == TEXT + "# mine"
    assert result.base == 1


def test_a_tab_continues_from_its_last_save(bundle, me):
    first = stored_draft(bundle, me, "one")
    second = stored_draft(bundle, me, "two", seen=first.revision)
    assert present(bundle, me).text == "two"
    assert second.revision != first.revision


def test_a_stale_tab_cannot_overwrite_a_newer_draft(bundle, me):
    first = stored_draft(bundle, me, "one")
    stored_draft(bundle, me, "two, in this tab", seen=first.revision)
    with pytest.raises(DraftElsewhere) as refused:
        stored_draft(bundle, me, "three, in another tab", seen=first.revision)
    assert refused.value.present.text == "two, in this tab"
    assert present(bundle, me).text == "two, in this tab"


def test_a_tab_without_a_revision_cannot_overwrite_a_draft(bundle, me):
    stored_draft(bundle, me, "one")
    with pytest.raises(DraftElsewhere):
        stored_draft(bundle, me, "two")


def test_the_same_text_from_two_tabs_is_not_a_conflict(bundle, me):
    stored_draft(bundle, me, "one")
    assert stored_draft(bundle, me, "one").text == "one"


def test_each_editor_has_their_own_draft(project, bundle, me):
    other = an_editor(project)
    stored_draft(bundle, me, "mine")
    stored_draft(bundle, other, "theirs")
    assert present(bundle, me).text == "mine"
    assert [draft.person.email for draft in drafts_of_others(bundle, me.id)] == [other.label]


def test_only_people_with_the_editor_role_can_have_drafts(project, bundle):
    with pytest.raises(Forbidden):
        stored_draft(bundle, an_editor(project, Role.OPERATOR), "x")
    with pytest.raises(Forbidden, match="Only people"):
        stored_draft(bundle, CONSOLE, "x")


def test_a_draft_of_an_unknown_version_is_404(bundle, me):
    with pytest.raises(NotFound):
        stored_draft(bundle, me, "x", base=7)


@pytest.mark.parametrize("text", ["x" * (512 * 1024 + 1), "a\0b"])
def test_a_draft_with_invalid_characters_or_size_is_rejected(bundle, me, text):
    with pytest.raises(InvalidInput):
        stored_draft(bundle, me, text)
    assert draft_of(bundle, me.id) is None


def test_form_line_endings_are_normalized_to_the_versions(bundle, me):
    assert stored_draft(bundle, me, TEXT.replace("\n", "\r\n")).text == TEXT


def test_saving_creates_the_next_version_and_deletes_the_draft(bundle, me):
    draft = stored_draft(bundle, me, TEXT + "\n# more")
    version, is_new = save_draft(draft, message="More.", by=me)
    assert (version.number, is_new, version.message) == (2, True, "More.")
    assert text_of(version) == TEXT + "\n# more"
    assert draft_of(bundle, me.id) is None


def test_a_newer_draft_survives_saving_an_older_revision(bundle, me):
    draft = stored_draft(bundle, me, TEXT + "\n# more")
    stored_draft(bundle, me, TEXT + "\n# more and more", seen=draft.revision)
    save_draft(draft, by=me)
    assert present(bundle, me).text.endswith("more and more")


def test_a_draft_that_the_library_rejects_is_still_saved(bundle, me):
    draft = stored_draft(bundle, me, "rules: nonsense")
    with pytest.raises(DocumentInvalid):
        save_draft(draft, by=me)
    assert present(bundle, me).text == "rules: nonsense"


def test_the_later_of_two_editors_gets_a_conflict_and_loses_nothing(project, bundle, me):
    other = an_editor(project)
    mine = stored_draft(bundle, me, TEXT + "\n# mine")
    save_draft(stored_draft(bundle, other, "# theirs\n" + TEXT), by=other)
    with pytest.raises(MovedOn) as refused:
        save_draft(mine, by=me)
    assert refused.value.newest.number == 2
    assert present(bundle, me).text == TEXT + "\n# mine"


def test_a_rebased_draft_contains_both_changes_and_can_be_saved(project, bundle, me):
    other = an_editor(project)
    mine = stored_draft(bundle, me, TEXT + "\n# mine")
    theirs, _ = save_draft(stored_draft(bundle, other, "# theirs\n" + TEXT), by=other)
    assert rebase_draft(mine, theirs, seen=mine.revision, by=me) == 0
    now = present(bundle, me)
    assert (now.base, now.text) == (2, f"# theirs\n{TEXT}\n# mine")
    assert save_draft(now, by=me)[0].number == 3


def test_a_draft_with_conflict_markers_cannot_be_saved(project, bundle, me):
    other = an_editor(project)
    mine = stored_draft(bundle, me, TEXT.replace("name: d", "name: d, description: mine"))
    changed = TEXT.replace("name: d", "name: d, description: theirs")
    theirs, _ = save_draft(stored_draft(bundle, other, changed), by=other)
    assert rebase_draft(mine, theirs, seen=mine.revision, by=me) == 1
    now = present(bundle, me)
    assert "description: mine" in now.text
    assert "description: theirs" in now.text
    with pytest.raises(DocumentInvalid):
        save_draft(now, by=me)


def test_a_stale_revision_of_a_draft_cannot_be_rebased(project, bundle, me):
    first = stored_draft(bundle, me, "one")
    stored_draft(bundle, me, "two", seen=first.revision)
    newer = saved(project, TEXT + "\n# new")
    with pytest.raises(DraftElsewhere):
        rebase_draft(first, newer, seen=first.revision, by=me)


def test_a_draft_cannot_rename_its_contract(bundle, me):
    draft = stored_draft(bundle, me, TEXT.replace("name: d", "name: other"))
    with pytest.raises(DocumentInvalid, match="This contract is named `d`") as refused:
        save_draft(draft, by=me)
    assert refused.value.errors[0].line == 3
    assert refused.value.errors[0].fix == "d"


def test_a_draft_of_a_new_contract_becomes_its_first_version(project, me):
    draft = begin_draft(project, text="half", by=me)
    result = present_new(project, me, draft.pk)
    keep_new_draft(result, text=TEXT, seen=result.revision, by=me)
    version, _ = save_draft(present_new(project, me, draft.pk), by=me)
    assert str(version) == "d v1"
    assert drafts_of(project, me.id) == []


def test_a_draft_of_a_new_contract_cannot_overwrite_an_existing_contract(project, bundle, me):
    draft = begin_draft(project, text=TEXT + "\n# another", by=me)
    with pytest.raises(MovedOn):
        save_draft(draft, by=me)
    assert drafts_of(project, me.id) == [draft]


def test_only_the_author_can_read_a_draft(project, me):
    draft = begin_draft(project, text="half", by=me)
    other = an_editor(project)
    assert new_draft_numbered(project, other.id or 0, draft.pk) is None
    assert new_draft_numbered(builders.a_project(), me.id or 0, draft.pk) is None


def test_a_discarded_draft_is_removed_and_audited(project, bundle, me):
    draft = stored_draft(bundle, me, "one")
    with pytest.raises(DraftElsewhere):
        discard_draft(draft, seen="", by=me)
    discard_draft(draft, seen=draft.revision, by=me)
    assert draft_of(bundle, me.id) is None
    assert audit.verify(project) is None
    with pytest.raises(NotFound):
        discard_draft(draft, seen=draft.revision, by=me)


def test_drafts_of_new_contracts_are_limited_per_person(project, me, monkeypatch):
    monkeypatch.setattr("governance.drafts.storage.MOST_NEW", 2)
    for _ in range(2):
        begin_draft(project, text="x", by=me)
    with pytest.raises(InvalidInput, match="Discard one"):
        begin_draft(project, text="x", by=me)

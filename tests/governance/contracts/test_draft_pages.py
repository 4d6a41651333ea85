"""The contract editor without JavaScript: save, validate, and concurrent edits."""

import html
import re

import pytest
from django.urls import reverse

from governance.contracts.commands.contracts import save_version
from governance.contracts.commands.drafts import begin_draft
from governance.core.actor import CONSOLE, person
from governance.core.roles import Role
from governance.models import BundleVersion, Draft, Project
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.editing import Editor, heading

TEXT = document(pre(ALWAYS), pre(ALWAYS, rule_id="b"))


@pytest.fixture
def version(project) -> BundleVersion:
    return save_version(project, document=TEXT, by=CONSOLE)[0]


@pytest.fixture
def me(project, version) -> Editor:
    return Editor(project)


def test_without_a_draft_the_editor_opens_the_newest_version(me):
    page = me.open()
    assert me.fields(page)["text"] == TEXT
    assert heading(page) == "d v1: no changes"
    assert not Draft.objects.exists()


def test_a_saved_draft_reopens_in_the_editor(me):
    me.send(me.open(), "keep", text=TEXT + "\n# mine")
    page = me.open()
    assert me.fields(page)["text"] == TEXT + "\n# mine"
    assert heading(page) == "Draft of d from v1: ready to save"


def test_a_backtest_without_javascript_saves_the_draft_first(me, project):
    fields = me.fields(me.open()) | {"act": "backtest", "text": TEXT + "\n# mine"}
    sent = me.client.post(me.address(), fields)
    assert (sent.status_code, Draft.objects.get().text) == (307, TEXT + "\n# mine")
    assert sent["Location"] == reverse("outcomes:backtest_text", args=[project.slug])


def test_saving_a_draft_creates_the_next_version_with_its_message(me, version):
    me.send(me.open(), text=TEXT.replace("\n", "\r\n") + "\r\n# mine", message="Because.")
    newest = version.bundle.versions.get(number=2)
    assert bytes(newest.document).decode() == TEXT + "\n# mine"
    assert (newest.message, str(me.member.user) in newest.author) == ("Because.", True)
    assert not Draft.objects.exists()


def test_an_invalid_draft_is_saved_and_its_error_is_displayed_with_its_line(me, version):
    page = me.send(me.open(), text=TEXT.replace("action: block", "acton: block"))
    assert page.status_code == 422
    assert heading(page.text) == "Draft of d from v1: 2 errors to fix"
    assert "Unknown key <code>acton</code>" in page.text
    assert re.search(r">\s*7:", page.text)
    assert version.bundle.versions.count() == 1
    assert Draft.objects.get().text == TEXT.replace("action: block", "acton: block")


def test_saving_an_unchanged_contract_creates_no_version(me, version):
    page = me.send(me.open())
    assert "d v1 already has this text." in page.text
    assert version.bundle.versions.count() == 1


def test_a_message_that_is_too_long_does_not_lose_the_draft(me):
    page = me.send(me.open(), text=TEXT + "\n# mine", message="x" * 3_000)
    assert page.status_code == 422
    assert "Use up to 2,000 characters" in page.text
    assert me.fields(page.text)["text"] == TEXT + "\n# mine"


def test_an_oversized_draft_stays_in_the_form(me):
    page = me.send(me.open(), text="x" * (512 * 1024 + 1))
    assert page.status_code == 422
    assert "bytes. At most 524,288 are allowed" in page.text
    assert len(me.fields(page.text)["text"]) == 512 * 1024 + 1


def test_a_save_from_a_stale_tab_displays_both_texts(me):
    first, second = me.open(), me.open()
    me.send(first, "keep", text=TEXT + "\n# in the first tab")
    page = me.send(second, "keep", text=TEXT + "\n# in the second tab")
    assert page.status_code == 409
    assert "changed in another tab or on another device" in page.text
    assert "# in the first tab" in page.text
    assert me.fields(page.text)["text"].endswith("# in the second tab")
    assert Draft.objects.get().text.endswith("# in the first tab")
    me.send(page.text, "keep")
    assert Draft.objects.get().text.endswith("# in the second tab")


def test_edits_by_two_people_are_merged_without_loss(project, me, version):
    other = Editor(project)
    mine, theirs = me.open(), other.open()
    me.send(mine, "keep", text=TEXT + "\n# mine")
    other.send(theirs, text="# theirs\n" + TEXT)

    page = me.open()
    assert f"was saved by {other.member.user} after you started from v1." in page

    shown = me.send(page)  # saving opens the rebase page instead of overwriting
    assert heading(shown.text) == f"d v2 was saved by {other.member.user} while you edited v1."
    assert "No conflicts." in shown.text
    assert version.bundle.versions.count() == 2

    page = me.send(shown.text, at=me.address("rebase"))
    assert "v2 merged into your draft." in page.text
    assert me.fields(page.text)["text"] == f"# theirs\n{TEXT}\n# mine"
    me.send(page.text)
    newest = version.bundle.versions.get(number=3)
    assert bytes(newest.document).decode() == f"# theirs\n{TEXT}\n# mine"


def test_conflicting_edits_are_marked_for_manual_resolution(project, me, version):
    other = Editor(project)
    theirs = other.open()
    me.send(me.open(), "keep", text=TEXT.replace("enforce", "observe"))
    other.send(theirs, text=TEXT.replace("{mode: enforce}", "{mode:  enforce}"))
    shown = me.client.get(me.address("rebase")).text
    assert "1 conflict." in shown
    page = me.send(shown, at=me.address("rebase"))
    assert "with 1 conflict, marked in the text." in html.unescape(page.text)
    assert "keep what is right" in page.text
    assert me.send(page.text).status_code == 422
    assert version.bundle.versions.count() == 2


def test_draft_changes_are_displayed_by_meaning_and_as_a_diff(me):
    assert me.client.get(me.address("compare")).status_code == 302
    me.send(me.open(), "keep", text=TEXT.replace("enforce", "observe"))
    page = me.client.get(me.address("compare")).text
    assert heading(page) == "d v1 → draft: 1 changed line"
    assert "Difference between d v1 and" in page
    assert "mode" in page
    assert "Changes only" in me.client.get(me.address("compare") + "?whole").text
    me.send(me.open(), "keep", text="a: [")
    assert "valid YAML yet" in me.client.get(me.address("compare")).text


def test_the_editor_names_other_authors_with_drafts(project, me):
    other = Editor(project)
    other.send(other.open(), "keep", text=TEXT + "\n# theirs")
    page = me.open()
    assert f"{other.member.user} has a draft of this contract from v1" in page
    assert "# theirs" not in page


def test_a_draft_is_discarded_after_confirmation(me):
    me.send(me.open(), "keep", text=TEXT.replace("enforce", "observe"))
    page = me.client.get(me.address("discard")).text
    assert "Changes since v1" in page
    me.send(page, at=me.address("discard"))
    assert not Draft.objects.exists()
    assert me.client.get(me.address("discard")).status_code == 302


def test_autosave_returns_the_new_revision_and_rejects_a_stale_one(me):
    fields = me.fields(me.open()) | {"text": TEXT + "\n# a"}
    body = me.client.post(me.address("keep"), fields).json()
    assert body["revision"] == Draft.objects.get().revision
    again = me.client.post(me.address("keep"), fields | {"text": TEXT + "\n# b"})
    assert again.status_code == 409
    assert Draft.objects.get().revision in again.text
    assert me.client.post(me.address("keep"), {}).status_code == 422


def a_new_draft(me: Editor, project: Project, text: str) -> dict[str, object]:
    by = person(me.member.user_id, str(me.member.user), Role.EDITOR)
    return {"draft_id": begin_draft(project, text=text, by=by).pk}


def test_a_draft_of_a_new_contract_is_saved_as_its_first_version(project, me):
    text = TEXT.replace("name: d", "name: fresh")
    at = me.address("edit_new", **a_new_draft(me, project, "kind: Ruleset"))
    page = me.client.get(at).text
    assert heading(page).startswith("Draft of a new contract:")
    me.send(page, text=text, at=at)
    assert bytes(BundleVersion.objects.get(bundle__name="fresh").document).decode() == text
    gone = me.client.get(at, follow=True)
    assert "This draft was already saved or discarded." in gone.text


def test_a_new_contract_under_a_name_in_use_is_rejected(project, me, version):
    at = me.address("edit_new", **a_new_draft(me, project, TEXT + "\n# another"))
    page = me.send(me.client.get(at).text, at=at)
    assert page.status_code == 409
    assert "A contract <code>d</code> already exists" in page.text
    assert version.bundle.versions.count() == 1


def test_you_cannot_open_another_users_draft(project, me):
    which = a_new_draft(me, project, TEXT)
    at = me.address("edit_new", **which)
    stranger = Editor(project)
    assert stranger.client.get(at).status_code == 302
    assert stranger.client.post(at, {"text": "x", "act": "keep"}).status_code == 302
    assert Draft.objects.get().text == TEXT


def test_the_editor_of_an_unknown_contract_is_404(project, me):
    assert me.client.get(me.address(bundle_name="nothing")).status_code == 404

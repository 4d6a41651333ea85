"""The check editor without JavaScript: create, save, validate, and concurrent edits."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.commands.drafts import begin_check_draft
from governance.checks.domain import Binding
from governance.checks.language.text import MAX_BYTES
from governance.checks.queries.checks import own_version
from governance.core.actor import CONSOLE, person
from governance.core.roles import Role
from governance.models import Check, CheckDraft, CheckVersion, Project
from tests.governance.editing import CheckEditor, heading

TEXT = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: n}
otherwise: success
rules:
  - id: not-ok
    when: {result.ok: {equals: false}}
    verdict: failure
examples:
  - {result: {ok: false}, verdict: failure}
"""
BROKEN = TEXT.replace("verdict: failure}", "verdict: success}")


@pytest.fixture
def version(project) -> CheckVersion:
    return save_check(project, document=TEXT, by=CONSOLE)[0]


@pytest.fixture
def me(project, version) -> CheckEditor:
    return CheckEditor(project)


def test_without_a_draft_the_editor_opens_the_newest_version(me):
    page = me.open()
    assert me.fields(page)["text"] == TEXT
    assert heading(page) == "n v1: no changes"
    assert "Not bound yet" in page
    assert not CheckDraft.objects.exists()


def test_the_editor_lists_the_tools_bound_to_the_check(project, me):
    bind(project, [Binding("*", "*", "crm_*", "n")], by=CONSOLE)
    assert "Bound to <code>crm_*</code>." in me.open()


def test_a_newer_included_check_is_offered_and_adopted_with_a_click(project):
    base = TEXT.replace("{name: n}", "{name: base}")
    save_check(project, document=base, by=CONSOLE)
    mine = TEXT.replace("rules:", "include: [flags, base]\nrules:")
    save_check(project, document=mine, by=CONSOLE)
    me = CheckEditor(project)
    offer = "<code>base</code> v2 is available. This check includes v1."
    assert offer not in me.open()
    save_check(project, document=base + "# mended", by=CONSOLE)
    page = me.open()
    assert offer in " ".join(page.split())
    assert "data-unchanged" in page
    assert offer not in written(me, mine.replace(", base]", "]"), of="n")
    me.send(page, "newer:base", text=mine)
    page = me.open()
    included = "<code>base</code> will be included as v2 instead of v1."
    assert included in " ".join(page.split())
    assert 'name="newer" value="base"' in page
    assert "data-unchanged" not in page
    assert "will be included as v2" in written(me, mine, of="n", newer="base")
    me.send(page, "kept:base", text=mine)
    assert offer in " ".join(me.open().split())
    me.send(me.open(), "newer:base", text=mine)
    me.send(me.open(), "save", text=mine)
    versions = [
        (each.number, each.included[1]["version"])
        for each in CheckVersion.objects.filter(success_check__name="n").order_by("number")
    ]
    assert versions == [(1, 1), (2, 2)]
    assert "has a newer version" not in me.open()


def test_saving_a_draft_does_not_adopt_newer_includes(project):
    base = TEXT.replace("{name: n}", "{name: base}")
    save_check(project, document=base, by=CONSOLE)
    mine = TEXT.replace("rules:", "include: [base]\nrules:")
    save_check(project, document=mine, by=CONSOLE)
    save_check(project, document=base + "# mended", by=CONSOLE)
    me = CheckEditor(project)
    me.send(me.open(), "save", text=mine + "# again\n")
    newest = CheckVersion.objects.filter(success_check__name="n").latest("number")
    assert (newest.number, newest.included) == (2, [{"name": "base", "version": 1}])


def test_a_saved_draft_reopens_and_is_saved_with_a_message(me, version):
    me.send(me.open(), "keep", text=TEXT + "# mine\n")
    page = me.open()
    assert heading(page) == "Draft of n from v1: ready to save"
    me.send(page, message="Because.")
    newest = version.success_check.versions.get(number=2)
    assert bytes(newest.document).decode() == TEXT + "# mine\n"
    assert newest.message == "Because."
    assert not CheckDraft.objects.exists()


def test_a_failing_example_is_reported_on_its_line_and_blocks_saving(me, version):
    page = me.send(me.open(), text=BROKEN)
    assert page.status_code == 422
    assert heading(page.text) == "Draft of n from v1: 1 error to fix"
    assert "Got failure instead of success" in page.text
    assert "0 of 1" in page.text
    assert version.success_check.versions.count() == 1
    assert CheckDraft.objects.get().text == BROKEN


def test_a_save_from_a_stale_tab_displays_both_texts(me):
    first, second = me.open(), me.open()
    me.send(first, "keep", text=TEXT + "# first\n")
    page = me.send(second, "keep", text=TEXT + "# second\n")
    assert page.status_code == 409
    assert "changed in another tab or on another device" in page.text
    assert "# first" in page.text
    me.send(page.text, "keep")
    assert CheckDraft.objects.get().text == TEXT + "# second\n"


def test_the_second_author_to_save_merges_the_newer_version_first(project, me, version):
    mine = me.open()
    me.send(mine, "keep", text=TEXT + "# mine\n")
    other = CheckEditor(project)
    other.send(other.open(), text=TEXT.replace("otherwise: success", "otherwise: default"))
    assert "was saved by" in me.open()
    page = me.send(me.open())
    assert "No conflicts." in page.text
    assert "otherwise" in page.text
    page = me.send(page.text, at=me.address("rebase"))
    assert "v2 merged into your draft" in html.unescape(page.text)
    me.send(page.text)
    newest = bytes(version.success_check.versions.get(number=3).document).decode()
    assert newest == TEXT.replace("otherwise: success", "otherwise: default") + "# mine\n"


def test_draft_changes_are_displayed_by_meaning_and_as_a_diff(me):
    assert me.client.get(me.address("compare")).status_code == 302
    me.send(me.open(), "keep", text=TEXT.replace("otherwise: success", "otherwise: unknown"))
    page = me.client.get(me.address("compare")).text
    assert heading(page) == "n v1 → draft: 1 changed line"
    assert "The document · when no rule matches" in page


def test_the_editor_names_other_authors_with_drafts(project, me):
    other = CheckEditor(project)
    other.send(other.open(), "keep", text=TEXT + "# theirs\n")
    page = me.open()
    assert f"{other.member.user} has a draft of this check from v1" in page
    assert "# theirs" not in page


def test_a_draft_is_discarded_after_confirmation(me):
    me.send(me.open(), "keep", text=TEXT + "# mine\n")
    page = me.client.get(me.address("discard")).text
    me.send(page, at=me.address("discard"))
    assert not CheckDraft.objects.exists()
    assert me.client.get(me.address("discard")).status_code == 302


def test_autosave_returns_the_new_revision_and_rejects_a_stale_one(me):
    fields = me.fields(me.open()) | {"text": TEXT + "# a\n"}
    body = me.client.post(me.address("keep"), fields).json()
    assert body["revision"] == CheckDraft.objects.get().revision
    again = me.client.post(me.address("keep"), fields | {"text": TEXT + "# b\n"})
    assert again.status_code == 409
    assert me.client.post(me.address("keep"), {}).status_code == 422


def written(me: CheckEditor, text: str, **fields: str) -> str:
    at = reverse("governance:written_check", args=[me.slug])
    return str(me.client.post(at, {"text": text} | fields).text)


def test_an_error_has_its_place_its_cause_and_a_fix(me):
    result = written(me, TEXT.replace("verdict: failure\n", "verdikt: failure\n"), of="n")
    problem = re.search(r"<li class=.severity-error[^>]*verdikt.*?</li>", result, re.DOTALL)
    assert problem
    for part in ('data-line="8"', 'data-words="verdikt"', 'data-fix="verdict"'):
        assert part in problem[0]


def test_results_of_examples_are_displayed_at_their_lines(me):
    assert 'data-line="10" data-passed="yes"' in written(me, TEXT, of="n")
    assert 'data-line="10" data-passed="no"' in written(me, BROKEN, of="n")
    assert "1 rule" in written(me, TEXT, of="n")


def test_an_unchanged_check_cannot_be_saved(me):
    assert "data-unchanged" in written(me, TEXT, of="n", base="1")
    as_forms_send_it = TEXT.replace("\n", "\r\n")
    assert "data-unchanged" in written(me, as_forms_send_it, of="n", base="1")
    assert "data-unchanged" not in written(me, TEXT + "# a\n", of="n", base="1")
    assert "data-unchanged" not in written(me, TEXT, of="n", base="7")


@pytest.mark.parametrize(
    ("text", "of", "message"),
    [
        (TEXT.replace("name: n", "name: other"), "n", "This check is named <code>n</code>"),
        (TEXT, "", "A check <code>n</code> already exists"),
        (TEXT.replace("name: n", "name: http"), "", "is a built-in check"),
        (TEXT + "include: [nothing]\n", "n", "No check named <code>nothing</code>"),
        (TEXT + "<<<<<<< mine\n", "n", "Both texts changed these lines"),
    ],
)
def test_the_editor_reports_in_advance_why_a_draft_cannot_be_saved(me, text, of, message):
    assert message in written(me, text, of=of)


@pytest.mark.parametrize("text", ["", "\0", "a: [" * 60, "\ufeff", "a: &x 1", "x" * 300_000, "- a"])
def test_any_text_gets_an_answer(me, text):
    assert 'data-errors="1"' in written(me, text, of="n\0")


def test_includes_are_loaded_in_one_query(project, me, django_assert_max_num_queries):
    names = [f"c{number}" for number in range(20)]
    for name in names:
        save_check(project, document=TEXT.replace("name: n", f"name: {name}"), by=CONSOLE)
    text = TEXT + f"include: [{', '.join(names)}]\n"
    with django_assert_max_num_queries(12):
        assert 'data-errors="0"' in written(me, text, of="n")
    me.send(me.open(), "keep", text=text)
    with django_assert_max_num_queries(12):
        me.open()


def begin(me: CheckEditor, **fields: object) -> tuple[str, str]:
    """Address and YAML of a new draft."""
    at = reverse("governance:new_check", args=[me.slug])
    answer = me.client.post(at, fields)
    assert answer.status_code == 302, answer.text
    draft = CheckDraft.objects.latest("id")
    assert draft.success_check is None
    return answer["Location"], draft.text


@pytest.mark.parametrize(
    ("start", "name", "has"),
    [
        ("empty", "our-check", "otherwise: default"),
        ("include:http", "our-http", "include: [http]"),
        ("copy:http", "our-http", "rules:\n"),
        ("copy:n", "n-2", "id: not-ok"),
    ],
)
def test_a_new_check_can_start_empty_or_from_another_check(me, start, name, has):
    at, text = begin(me, **{"from": start})
    assert has in text
    page = me.client.get(at).text
    assert heading(page) == "Draft of a new check: ready to save"
    me.send(page, at=at)
    assert bytes(CheckVersion.objects.get(success_check__name=name).document).decode() == text


def test_a_new_check_can_start_from_pasted_yaml_or_a_file(me):
    assert begin(me, text=BROKEN)[1] == BROKEN
    file = SimpleUploadedFile("c.yaml", TEXT.encode())
    assert begin(me, text="", file=file)[1] == TEXT


def test_empty_and_oversized_input_is_rejected_at_its_field(me):
    at = reverse("governance:new_check", args=[me.slug])
    assert "Paste a success check here" in me.client.post(at, {"text": ""}).text
    large = SimpleUploadedFile("c.yaml", b"x" * (MAX_BYTES + 1))
    assert "Use at most 256 KiB" in me.client.post(at, {"file": large}).text
    assert me.client.post(at, {"from": "copy:nothing"}).status_code == 404
    assert me.client.post(at, {"from": "include:default"}).status_code == 404


def test_the_page_lists_every_way_to_start_a_check(me):
    page = me.client.get(reverse("governance:new_check", args=[me.slug])).text
    for value in ('value="empty"', 'value="include:mcp"', 'value="copy:mcp"', 'value="copy:n"'):
        assert value in page


def a_new_draft(me: CheckEditor, project: Project, text: str) -> dict[str, object]:
    by = person(me.member.user_id, str(me.member.user), Role.EDITOR)
    return {"draft_id": begin_check_draft(project, text=text, by=by).pk}


def test_a_new_check_under_a_name_in_use_is_rejected(project, me, version):
    at = me.address("edit_new", **a_new_draft(me, project, TEXT + "# another\n"))
    page = me.send(me.client.get(at).text, at=at)
    assert page.status_code in (409, 422)
    assert "A check <code>n</code> already exists" in page.text
    assert version.success_check.versions.count() == 1


def test_you_cannot_open_another_users_draft(project, me):
    which = a_new_draft(me, project, TEXT)
    at = me.address("edit_new", **which)
    stranger = CheckEditor(project)
    assert stranger.client.get(at).status_code == 302
    assert stranger.client.post(at, {"text": "x", "act": "keep"}).status_code == 302
    assert CheckDraft.objects.get().text == TEXT


def test_built_in_and_unknown_checks_have_no_editor(project, me):
    assert me.client.get(me.address(check_name="nothing")).status_code == 404
    assert me.client.get(me.address(check_name="http")).status_code == 404
    assert own_version(project, "http") is None
    assert Check.objects.count() == 1

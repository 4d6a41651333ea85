"""Success checks in the browser: the list, one check with its versions, and the bindings."""

import html
import re

import pytest
from django.urls import reverse

from governance.checks.domain import MOST_LINES
from governance.checks.queries.bindings import bindings_of
from governance.checks.queries.checks import ours, own_version
from governance.core.roles import Role
from tests import builders
from tests.governance.naming import FAILS, a_check, bound, check_text
from tests.outcomes.pages import Pages, text_of

BAD = "{when: {result.bad: {exists: true}}, id: bad, tool: 'crm_*', verdict: failure}"
LINE = {"environment": "*", "agent": "*", "tool": "http_*", "check": "http"}


@pytest.fixture
def editor(project) -> Pages:
    return _pages(project, Role.EDITOR)


@pytest.fixture
def viewer(project) -> Pages:
    return _pages(project, Role.VIEWER)


def _pages(project, role: Role) -> Pages:
    seen = Pages(builders.signed_in(builders.a_member(project, role).user), project.slug)
    seen.get("alerts/")  # the first visit stores the last used project
    return seen


def sent(*lines: dict[str, str], revision: int = 0, **more: str) -> dict[str, object]:
    columns = {name: [line[name] for line in lines] for name in LINE}
    return {**columns, "revision": str(revision), **more}


def post(pages: Pages, *lines: dict[str, str], revision: int = 0, **more: str):
    return pages.client.post(
        f"{pages.base}/checks/bindings/", sent(*lines, revision=revision, **more)
    )


def tools_in(answer) -> list[str]:
    """Tools of the rows in the form, without the template row that JavaScript clones."""
    form = answer.content.decode().partition('<template id="new-binding">')[0]
    matches = re.findall(r'name="tool" value="([^"]*)"', form)
    return [html.unescape(each) for each in matches]


def test_an_empty_list_says_what_to_do_and_lists_built_in_checks(editor, viewer):
    text = editor.text("checks/")
    assert "No bindings: agents' own checks decide, else the default check" in text
    assert "Bind a built-in check" in text
    for each in ours():
        assert each.name in text
    assert "You need the Editor role" in viewer.text("checks/")


def test_the_list_names_the_bindings_of_each_check(project, viewer):
    a_check(project, name="base")
    a_check(project, name="mine", include=("base",))
    a_check(project, BAD, name="mine")
    bound(project, "production bot-* crm_* mine", "* * http_get http", *(["x mine"] * 4))
    text = viewer.text("checks/")
    assert "2 checks of your own, 6 bindings" in text
    assert "mine What mine is for v2 crm_* of bot-* in production x x and 2 more" in text
    assert "base What base is for v1 nothing" in text
    a_check(project, name="other", include=("base",))
    assert "base What base is for v1 in other" in viewer.text("checks/")


def test_a_check_page_has_its_yaml_its_rules_in_words_and_its_examples(project, viewer):
    example = "{tool: crm_update, result: {bad: 1}, verdict: failure}"
    a_check(project, BAD, examples=(example,))
    bound(project, "crm_* mine")
    text = viewer.text("checks/c/mine/")
    assert "mine v1 checks crm_*" in text
    assert "On crm_* : result.bad exists" in text
    assert "otherwise success" in text
    assert 'failure line 8 crm_update {"bad": 1}' in text
    assert "Examples 1" in text
    body = viewer.get("checks/c/mine/").content.decode()
    assert 'id="L6"' in body
    assert 'class="code-word">failure</span>' in body


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ((), "mine v1 isn't bound to any tool yet"),
        (("* mine",), "mine v1 checks all tools"),
        (("a mine", "b mine"), "mine v1 has 2 bindings"),
    ],
)
def test_a_check_page_begins_with_the_calls_it_applies_to(project, viewer, lines, sentence):
    a_check(project)
    bound(project, *lines)
    assert sentence in viewer.text("checks/c/mine/")


def test_built_in_checks_have_pages(viewer):
    for each in ours():
        assert each.name in viewer.text(f"checks/c/{each.name}/")
    assert "decides where no binding applies" in viewer.text("checks/c/default/")
    assert "isn't bound to any tool yet" in viewer.text("checks/c/http/")
    assert "Built-in check." in viewer.text("checks/c/http/versions/2/")


@pytest.mark.parametrize(
    "path",
    [
        "checks/c/nothing/",
        "checks/c/mine/versions/9/",
        "checks/c/mine/compare/?old=7&new=1",
        "checks/c/mine/versions/1/exe/",
    ],
)
def test_an_unknown_address_is_404(project, viewer, path):
    a_check(project)
    assert viewer.get(path).status_code == 404


def test_an_unknown_built_in_version_redirects_to_the_current_one(viewer):
    answer = viewer.client.get(f"{viewer.base}/checks/c/http/versions/9999/", follow=True)
    assert "This console has v" in text_of(answer)


def test_versions_can_be_listed_opened_and_compared(project, viewer):
    a_check(project)
    a_check(project, BAD)
    assert "v2" in viewer.text("checks/c/mine/")
    assert "mine v1 was replaced by v2" in viewer.text("checks/c/mine/versions/1/")
    text = viewer.text("checks/c/mine/compare/")
    assert "mine v1 → v2: 2 changes" in text
    assert "Added rule bad crm_* : failure when result.bad exists" in text
    assert "Removed rule not-ok" in text
    same = viewer.text("checks/c/mine/compare/?old=2&new=2")
    assert "mine v2 is the same version" in same


def test_a_comparison_reports_changed_includes(project, editor):
    a_check(project, name="base")
    a_check(project, include=("base",))
    a_check(project, BAD, name="base")
    assert "base v2 is available. This check includes v1." in editor.text("checks/c/mine/")
    editor.client.post(f"{editor.base}/checks/c/mine/newer-included/")
    text = editor.text("checks/c/mine/compare/")
    assert "mine v1 → v2: only included checks changed" in text
    assert "Changed base v1 → v2" in text


def test_newer_includes_that_break_an_example_are_reported_and_not_adopted(project, editor):
    a_check(project, name="base")
    a_check(project, include=("base",), examples=("{result: {bad: 1}, verdict: success}",))
    a_check(project, BAD.replace("crm_*", "*"), name="base")
    path = f"{editor.base}/checks/c/mine/newer-included/"
    text = text_of(editor.client.post(path, follow=True))
    assert "Can't include the newer version: line 9" in text
    result = own_version(project, "mine")
    assert result is not None
    assert result.number == 1


def test_every_file_of_every_version_can_be_downloaded(project, viewer):
    a_check(project)
    a_check(project, BAD)
    for kind, inside in (
        ("yaml", check_text(FAILS)),
        ("py", "def success_check("),
        ("ts", "successCheck"),
        ("json", '"format":1'),
    ):
        answer = viewer.get(f"checks/c/mine/versions/1/{kind}/")
        assert answer["Content-Disposition"] == f'attachment; filename="mine.{kind}"'
        assert inside in answer.content.decode()


def test_a_long_history_has_pages(project, viewer):
    for number in range(22):
        a_check(project, FAILS.replace("not-ok", f"not-{number}"))
    older = viewer.links("checks/c/mine/")["next"]
    assert older.endswith("?before=3")
    text = text_of(viewer.client.get(older))
    assert "2 of 22" in text


def test_bindings_are_listed_in_order_and_only_editors_can_change_them(project, editor, viewer):
    a_check(project)
    bound(project, "production * crm_* mine", "* http")
    assert tools_in(editor.get("checks/bindings/")) == ["crm_*", "*"]
    text = viewer.text("checks/bindings/")
    assert "2 bindings for 2 checks" in text
    assert "You need the Editor role to change bindings." in text
    assert post(viewer, LINE, revision=1, act="save").status_code == 403
    assert [each.tool for each in bindings_of(project).lines] == ["crm_*", "*"]


def test_saving_replaces_the_bindings(project, editor):
    answer = post(editor, LINE, {**LINE, "tool": "*"}, act="save")
    assert answer.status_code == 302
    assert [str(each) for each in bindings_of(project).lines] == [
        "* * http_* → http",
        "* * * → http",
    ]
    again = post(editor, LINE, {**LINE, "tool": "*"}, revision=1, act="save")
    assert "No changes to save." in text_of(editor.client.get(again["Location"]))


@pytest.mark.parametrize(
    ("act", "order"),
    [
        ("up:2", ["b", "a", "c"]),
        ("down:2", ["a", "c", "b"]),
        ("up:1", ["a", "b", "c"]),
        ("down:3", ["a", "b", "c"]),
        ("remove:1", ["b", "c"]),
        ("add", ["a", "b", "c", ""]),
        ("up:9", ["a", "b", "c"]),
        ("nonsense", ["a", "b", "c"]),
    ],
)
def test_without_javascript_each_edit_returns_the_form_without_saving(project, editor, act, order):
    answer = post(editor, *({**LINE, "tool": tool} for tool in "abc"), act=act)
    assert answer.status_code == 200
    assert tools_in(answer) == order
    assert "not saved yet" in text_of(answer)
    assert bindings_of(project).lines == ()


def test_after_saving_the_page_offers_past_calls_of_changed_tools_only(project, editor):
    bound(project, "old http")
    saved = post(editor, {**LINE, "tool": "old"}, LINE, revision=1, act="save")
    page = editor.client.get(saved["Location"]).content.decode()
    assert "/live/past-calls/?of=changed&amp;tool=http_%2A" in page
    assert "tool=old" not in page


def test_the_tester_uses_unsaved_rows_of_the_form(project, editor, viewer):
    tried = {"try_tool": "http_get", "try_environment": "production"}
    assert "http applies, by row 1." in text_of(post(editor, LINE, revision=0, act="try", **tried))
    at = reverse("governance:applying_check", args=[project.slug])
    assert (
        text_of(viewer.client.post(at, {**LINE, "tool": "x"} | tried))
        == "No row matches, so default applies."
    )
    assert text_of(viewer.client.post(at, {})) == "Enter a tool."


def test_several_tools_can_be_bound_to_a_built_in_check_together(project, editor):
    fields = sent(LINE, act="bind", bind_check="mcp") | {"bind": ["a", "b"]}
    answer = editor.client.post(f"{editor.base}/checks/bindings/", fields)
    assert tools_in(answer) == ["http_*", "a", "b"]
    assert answer.content.decode().count('value="mcp"') >= 2
    assert "3 bindings for 2 checks, not saved yet" in text_of(answer)


def test_bind_is_the_primary_button_of_an_unbound_check(project, editor, viewer):
    a_check(project)
    page = editor.get("checks/c/mine/").content.decode()
    assert re.search(r'class="button filled"\s+href="[^"]*bindings/\?check=mine[^"]*">Bind…', page)
    assert re.search(r'class="button" href="[^"]*/edit/">Edit', page)
    assert "Bind…" not in viewer.text("checks/c/mine/")
    bound(project, "crm_* mine")
    page = editor.get("checks/c/mine/").content.decode()
    assert re.search(r'class="button filled" href="[^"]*/edit/">Edit', page)


def test_a_check_can_be_bound_from_its_own_page(project, editor, viewer):
    a_check(project)
    at = reverse("governance:bind_check", args=[project.slug, "mine"])
    answer = editor.client.post(at, {"tool": "crm_update"}, follow=True)
    assert "Bound to crm_update. It applies to new calls." in text_of(answer)
    assert "/live/past-calls/?of=changed&amp;tool=crm_update" in answer.content.decode()
    assert [str(line) for line in bindings_of(project).lines] == ["* * crm_update → mine"]
    assert "Not bound:" in text_of(editor.client.post(at, {"tool": ""}, follow=True))
    assert viewer.client.post(at, {"tool": "x"}).status_code == 403


def test_a_link_can_prefill_a_binding_for_a_tool(editor):
    assert tools_in(editor.get("checks/bindings/", tool="crm <update>")) == ["crm <update>"]
    assert tools_in(post(editor, LINE, act="bind", bind="crm_update")) == ["http_*", "crm_update"]


def test_a_viewer_following_a_tool_link_sees_the_existing_bindings(project, viewer):
    bound(project, "http_* default")
    answer = viewer.get("checks/bindings/", tool="crm_update")
    assert answer.status_code == 200
    assert "http_*" in text_of(answer)


def test_the_maximum_number_of_bindings_can_be_saved(project, editor):
    lines = [{**LINE, "tool": f"t-{number}"} for number in range(MOST_LINES)]
    assert post(editor, *lines, act="save").status_code == 302
    assert len(bindings_of(project).lines) == MOST_LINES


def test_an_invalid_binding_is_reported_at_its_row_and_input_is_preserved(project, editor):
    wrong = {**LINE, "environment": "no place", "check": ""}
    answer = post(editor, LINE, wrong, {**LINE, "tool": "", "check": ""}, act="save")
    assert answer.status_code == 422
    body = answer.content.decode()
    assert "No environment can have this name" in body
    assert "Choose a check." in body
    assert tools_in(answer) == ["http_*", "http_*"]
    assert bindings_of(project).lines == ()


def test_a_concurrent_change_is_reported_and_not_overwritten(project, editor):
    bound(project, "x http")
    answer = post(editor, LINE, revision=0, act="save")
    assert answer.status_code == 409
    body = answer.content.decode()
    assert "changed the bindings in the meantime" in body
    assert tools_in(answer) == ["http_*"]
    assert 'name="revision" value="1"' in body
    assert post(editor, LINE, revision=1, act="save").status_code == 302


def test_a_binding_hidden_by_an_earlier_row_is_marked(project, editor):
    bound(project, "* http", "crm_* mcp")
    assert "Row 1 matches all of these calls first." in editor.text("checks/bindings/")


def test_markup_in_names_is_escaped(project, viewer):
    bound(project, "<b>x</b>`<i> http")
    body = viewer.get("checks/").content.decode()
    assert "<b>x" not in body
    assert "<i>" not in viewer.get("checks/c/http/").content.decode()


@pytest.mark.parametrize("path", ["checks/", "checks/c/mine/", "checks/bindings/"])
def test_pages_take_at_most_twelve_queries(project, editor, path, django_assert_max_num_queries):
    a_check(project, name="base")
    for number in range(12):
        a_check(project, name=f"check-{number}", include=("base",))
    a_check(project, include=("base", "http"), name="mine")
    a_check(project, BAD, name="base")
    bound(project, *(f"t{number} mine" for number in range(40)))
    with django_assert_max_num_queries(12):
        assert editor.get(path).status_code == 200

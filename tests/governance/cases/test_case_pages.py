"""Pages of a contract's tests: create, edit, reorder, delete, and run from the editor."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from governance.case_runs.queries import cases_of
from governance.cases.commands import replace_cases
from governance.contracts.commands.drafts import keep_draft
from governance.core.actor import CONSOLE, person
from governance.core.cases import CaseCall
from governance.core.json_value import Json
from governance.core.roles import Role
from tests import builders
from tests.governance.casing import LAX, TEXT, a_case, a_session, added, saved
from tests.governance.contracts.documents import EVIL_TEXT


@pytest.fixture
def bundle(project):
    return saved(project).bundle


@pytest.fixture
def editor(client_as) -> Client:
    client: Client = client_as(Role.EDITOR)
    return client


def at(bundle, name="cases", *more) -> str:
    return reverse(f"governance:{name}", args=[bundle.project.slug, bundle.name, *more])


def fields(**changed: str) -> dict[str, str]:
    return {
        "name": "75 is denied",
        "tool": "refund",
        "args": '{"amount": 75}',
        "environment": "production",
        "action": "block",
        "rule": "too-much",
    } | changed


def audited(bundle):
    return [row.spec() for row in cases_of(bundle)]


def test_a_new_test_runs_when_it_is_saved(bundle, editor):
    answer = editor.post(at(bundle, "new_case"), fields(), follow=True)
    assert audited(bundle) == [a_case(rule="too-much")]
    assert "<code>d</code> v1: 1 test passes" in answer.text
    assert "denied by <code>too-much</code>" in answer.text


def test_invalid_json_arguments_report_line_and_column_and_stay_in_the_form(bundle, editor):
    answer = editor.post(at(bundle, "new_case"), fields(args='{"amount": 75,\n "to" 1}'))
    assert answer.status_code == 422
    assert "Line 2, column 7" in answer.text
    assert "&quot;to&quot; 1}" in answer.text
    assert audited(bundle) == []


def test_a_duplicate_name_is_reported_at_its_field(bundle, editor):
    added(bundle, a_case())
    answer = editor.post(at(bundle, "new_case"), fields())
    assert answer.status_code == 422
    assert "Another test already has this name." in answer.text


def test_an_empty_output_is_stored_only_if_the_call_returned(bundle, editor):
    editor.post(at(bundle, "new_case"), fields(output="", returned="on"))
    editor.post(at(bundle, "new_case"), fields(output="a\r\nb", name="two"))
    editor.post(at(bundle, "new_case"), fields(output="", name="three"))
    outputs = [case.calls[0].output for case in audited(bundle)]
    assert outputs == ["", "a\nb", None]


def test_a_session_test_can_be_created_from_json_and_edited(bundle, editor):
    calls = '[{"tool": "t", "args": {}, "times": 3}]'
    session = {"name": "third", "calls": calls, "stopped_at": "3", "rule": ""}
    assert editor.post(at(bundle, "new_session_case"), session).status_code == 302
    (row,) = cases_of(bundle)
    assert row.spec() == a_session()
    form = editor.get(at(bundle, "edit_case", row.pk))
    assert 'name="call:1:tool" value="t"' in form.text
    assert 'name="call:1:times" value="3"' in form.text
    editor.post(at(bundle, "edit_case", row.pk), session | {"stopped_at": ""})
    assert audited(bundle) == [a_session(stopped_at=None)]
    wrong = editor.post(at(bundle, "edit_case", row.pk), session | {"calls": '[{"tool": 1}]'})
    assert wrong.status_code == 422
    assert "calls[0] needs a <code>tool</code>" in wrong.text


def test_an_empty_session_form_starts_with_one_call(bundle, editor):
    page = editor.get(at(bundle, "new_session_case")).text
    assert 'name="call:1:tool" value=""' in page
    assert 'name="call:2:tool"' not in page


ROWS = {
    "name": "third",
    "call:1:tool": "t",
    "call:1:args": "path=/srv/a b\r\nforce=true\r\nnumber=7",
    "call:1:times": "3",
    "call:2:tool": "",
    "call:2:args": "",
    "call:2:times": "1",
    "stopped_at": "3",
    "rule": "",
}


def test_a_session_test_can_be_created_from_rows(bundle, editor):
    assert editor.post(at(bundle, "new_session_case"), ROWS).status_code == 302
    (case,) = audited(bundle)
    args: dict[str, Json] = {"path": "/srv/a b", "force": True, "number": 7}
    assert case.expects.calls == (CaseCall(tool="t", args=args, times=3),)
    (row,) = cases_of(bundle)
    form = editor.get(at(bundle, "edit_case", row.pk)).text
    assert "path=/srv/a b\nforce=true\nnumber=7</textarea>" in form


def test_rows_can_be_added_removed_and_switched_to_json_and_back(bundle, editor):
    here = at(bundle, "new_session_case")
    more = editor.post(here, ROWS | {"act": "add"}).text
    assert 'name="call:3:tool" value=""' in more
    assert 'name="name" value="third"' in more
    fewer = editor.post(here, ROWS | {"act": "remove-1"}).text
    assert 'name="call:1:tool" value=""' in fewer
    assert 'name="call:2:tool"' not in fewer
    text = editor.post(here, ROWS | {"act": "json"}).text
    assert "&quot;times&quot;: 3" in text
    assert 'name="call:1:tool"' not in text
    again = editor.post(
        here, {"calls": '[{"tool": "u", "principal": {"role": "a"}}]', "act": "rows"}
    )
    assert 'name="call:1:tool" value="u"' in again.text
    assert "&quot;principal&quot;: {&quot;role&quot;: &quot;a&quot;}" in again.text
    assert audited(bundle) == []


def test_hidden_fields_of_a_row_are_saved(bundle, editor):
    more = '{"principal": {"role": "a"}, "environment": "staging"}'
    editor.post(at(bundle, "new_session_case"), ROWS | {"call:1:more": more})
    (call,) = audited(bundle)[0].expects.calls
    assert (call.principal, call.environment) == ({"role": "a"}, "staging")


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"call:1:tool": ""}, "Call 1: choose a tool."),
        ({"call:1:times": "often"}, "Call 1: enter how often as a whole number."),
        ({"call:1:args": "path"}, "Call 1: Write <code>name=value</code>"),
        ({"call:1:more": "x"}, "Expected a value"),
        ({"call:1:tool": "", "call:1:args": ""}, "Add a call: choose its tool."),
        ({"call:1:tool": "", "act": "json"}, "Call 1: choose a tool."),
        ({"act": "rows", "calls": "["}, "Expected a value"),
    ],
)
def test_an_invalid_row_is_reported_in_the_calls_list(bundle, editor, wrong, reason):
    answer = editor.post(at(bundle, "new_session_case"), ROWS | wrong)
    assert reason in answer.text[answer.text.index('id="calls-error"') :]
    assert audited(bundle) == []


def test_the_edit_form_has_the_tests_values(bundle, editor):
    (row,) = added(bundle, a_case(rule="too-much"))
    page = editor.get(at(bundle, "edit_case", row.pk))
    assert '<option value="block" selected>' in page.text
    assert 'value="too-much"' in page.text
    editor.post(at(bundle, "edit_case", row.pk), fields(name="other", rule=""))
    assert audited(bundle) == [a_case("other")]


def test_unprintable_characters_are_displayed_as_escapes(bundle, editor):
    (row,) = added(bundle, a_case(x="\ud800 \0"))
    assert "\\ud800" in editor.get(at(bundle, "edit_case", row.pk)).text


def test_tests_can_be_reordered_and_deleted_after_confirmation(bundle, editor):
    _, second = added(bundle, a_case("1"), a_case("2"))
    editor.post(at(bundle, "move_case", second.pk), {"up": ""})
    assert [case.name for case in audited(bundle)] == ["2", "1"]
    asks = editor.get(at(bundle, "remove_case", second.pk))
    assert "Delete test “2”" in asks.text
    editor.post(at(bundle, "remove_case", second.pk))
    assert [case.name for case in audited(bundle)] == ["1"]
    assert editor.get(at(bundle, "edit_case", second.pk)).status_code == 404


def test_the_page_lists_failures_for_the_requested_version(project, bundle, editor):
    added(bundle, a_case(), a_session())
    saved(project, LAX)
    page = editor.get(at(bundle))
    assert "<code>d</code> v2: 1 of 2 tests fail" in page.text
    assert "Last run" in page.text
    older = editor.get(at(bundle), {"version": "1"})
    assert "<code>d</code> v1: All 2 tests pass" in older.text
    assert editor.get(at(bundle), {"version": "9"}).status_code == 404


def test_the_query_count_does_not_grow_with_the_number_of_tests(
    bundle, editor, django_assert_max_num_queries
):
    cases = [a_case(str(number)) for number in range(60)]
    replace_cases(bundle, cases, by=CONSOLE)
    editor.get(at(bundle))
    with django_assert_max_num_queries(12):
        editor.get(at(bundle))


def test_a_viewer_sees_the_tests_but_no_edit_links(bundle, client_as):
    (row,) = added(bundle, a_case())
    viewer = client_as(Role.VIEWER)
    page = viewer.get(at(bundle))
    assert "75 is denied" in page.text
    assert at(bundle, "new_case") not in page.text
    assert at(bundle, "edit_case", row.pk) not in page.text


def test_the_editor_runs_tests_against_your_own_draft(project, bundle):
    member = builders.a_member(project, Role.EDITOR)
    client = builders.signed_in(member.user)
    added(bundle, a_case())
    htmx = {"HX-Request": "true"}
    there = at(bundle, "cases_panel")
    assert "newest version" in client.get(there, headers=htmx).text
    alone = client.get(there, follow=True)
    assert "<code>d</code> v1: 1 test passes" in alone.text
    me = person(member.user_id, member.user.email, Role.EDITOR)
    draft = keep_draft(bundle, text=LAX, base=1, seen="", by=me)
    panel = client.get(there, headers=htmx)
    assert "draft: 1 of 1 tests fail" in client.get(there, follow=True).text
    assert "1 of 1 tests fail" in panel.text
    assert "expected denied, got allowed" in panel.text
    keep_draft(bundle, text="x: [", base=1, seen=draft.revision, by=me)
    assert "Tests could not run" in client.get(there, headers=htmx).text


def test_the_editor_has_the_tests_panel(bundle, editor):
    page = editor.get(reverse("governance:edit_draft", args=[bundle.project.slug, "d"]))
    assert f'hx-get="{at(bundle, "cases_panel")}"' in page.text


def keep(client, bundle, **fields: str):
    sent = {
        "tool": "refund",
        "args": json.dumps({"amount": 75}),
        "environment": "production",
        "became": "block",
        "rule": "too-much",
        "number": "4",
    }
    return client.post(at(bundle, "keep_call"), sent | fields, follow=True)


def test_a_recorded_call_can_become_a_test_with_one_click(bundle, editor):
    answer = keep(editor, bundle)
    assert audited(bundle) == [a_case("refund 75: denied", rule="too-much")]
    assert "Test “refund 75: denied” saved." in answer.text
    assert "is already a test: “refund 75: denied”" in keep(editor, bundle).text
    assert len(audited(bundle)) == 1


def test_calls_with_the_same_description_become_tests_with_different_names(bundle, editor):
    for place in ("here", "there", "elsewhere"):
        keep(editor, bundle, args=json.dumps({"amount": 75, "place": place}))
    assert [case.name for case in audited(bundle)] == [
        "refund 75: denied",
        "refund 75: denied (2)",
        "refund 75: denied (3)",
    ]


def test_a_test_of_a_call_that_ran_expects_the_contracts_action_without_a_rule(project, editor):
    bundle = saved(project, TEXT.replace("'*'", "'refund'")).bundle
    keep(editor, bundle, became="allow", args="{}", rule="")
    keep(editor, bundle, became="allow")
    keep(editor, bundle, became="ask", rule="gone")
    actions = [(row.action, row.rule) for row in cases_of(bundle)]
    assert actions == [("allow", ""), ("allow", ""), ("ask", "")]


def test_secrets_are_masked_in_a_test_and_the_page_says_so(bundle, editor):
    answer = keep(editor, bundle, args='{"amount": 75, "password": "hunter2"}', blanked="on")
    assert audited(bundle)[0].calls[0].args == {"amount": 75, "password": "[masked]"}
    assert "1 secret masked" in answer.text
    assert "Some arguments of this call were masked or cut" in answer.text


def test_a_call_denied_by_a_limit_becomes_a_draft_session_test(bundle, editor):
    answer = keep(editor, bundle, became="limit", rule="few")
    assert audited(bundle) == []
    assert "Add the calls before it" in answer.text
    assert 'name="call:1:times" value="4"' in answer.text
    assert 'value="few"' in answer.text


def test_a_call_that_cannot_become_a_test_is_rejected_with_a_reason(bundle, editor):
    assert "be a test. Check its arguments." in keep(editor, bundle, args="[1]").text
    assert "at most 64 KiB" in keep(editor, bundle, args=json.dumps({"x": "y" * 70_000})).text
    assert audited(bundle) == []


def test_a_contract_that_exceeds_its_budget_is_reported_on_the_page(project, editor):
    bundle = saved(project, TEXT.replace("{gt: 50}", "{matches: '^(a+)+$'}")).bundle
    added(bundle, a_case(amount=EVIL_TEXT))
    answer = editor.get(at(bundle))
    assert answer.status_code == 200
    assert "1 of 1 tests fail" in answer.text
    assert "Evaluation stopped" in answer.text

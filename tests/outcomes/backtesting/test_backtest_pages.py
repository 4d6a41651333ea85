"""Pages of backtests: start, progress, result and cancellation."""

import html
import re
from datetime import UTC, datetime

import pytest
from django.urls import reverse
from django.utils import timezone

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from outcomes.models import Backtest
from tests import builders
from tests.governance.contracts.documents import document, post, pre
from tests.outcomes.backtests import backtested
from tests.outcomes.pages import text_of
from tests.outcomes.waiting_jobs import run_waiting_backtests

SESSION = (
    "{id: limits, type: session, limits: {max_tool_calls: 3}, then: {action: block, message: m}}"
)
RULES = document(pre("{args.command: {contains: rm}}", rule_id="no-rm"), SESSION, post("redact"))


@pytest.fixture
def editor(project, client_as):
    return client_as(Role.EDITOR)


PART = {"HX-Request": "true"}


def at(project, name, *args):
    return reverse(f"outcomes:{name}", args=[project.slug, *args])


def ran(agent, *commands_run, **fields):
    agent.post(
        *(
            builders.an_outcome(tool_name="shell", tool_args={"command": each}, **fields)
            for each in commands_run
        )
    )


def test_an_editor_can_start_a_backtest_of_a_version_and_read_its_result(project, agent, editor):
    ran(agent, "ls", "rm -r", "ls", "ls", "ls", session_id="s/1")
    save_version(project, document=RULES, by=CONSOLE)
    here = at(project, "backtests", "d")
    assert "No backtest of" in editor.get(here).text
    response = editor.post(here, {"version": "1", "environment": "production", "days": ""})
    assert response.status_code == 302
    waiting = editor.get(response["Location"]).text
    assert "Backtest queued" in waiting
    run_waiting_backtests()
    page = editor.get(response["Location"]).text
    assert "newly denied" in page
    assert "no-rm" in page
    assert "s/1" in page
    assert "output not stored" in page
    state = page.partition('id="backtest-standing"')[2].partition("</main>")[0]
    assert state
    assert "hx-trigger" not in state
    assert "newly denied" in editor.get(here).text


def test_a_sample_lists_the_arguments_of_its_call(
    project, agent, editor, django_assert_max_num_queries
):
    ran(agent, *(f"rm {number}" for number in range(9)))
    backtest = backtested(project, RULES)
    with django_assert_max_num_queries(12):
        page = editor.get(at(project, "backtest", backtest.pk)).text
    assert page.count("command: &quot;rm ") == 4


def test_a_result_links_to_the_draft_or_to_the_deployment(project, agent, editor):
    ran(agent, "ls")
    text = editor.post(at(project, "backtest_text"), {"text": RULES})["Location"]
    assert "Back to your drafts" in editor.get(text).text
    save_version(project, document=RULES, by=CONSOLE)
    assert reverse("governance:edit_draft", args=[project.slug, "d"]) in editor.get(text).text
    form = {"version": "1", "environment": "production"}
    version = editor.post(at(project, "backtests", "d"), form)["Location"]
    deploy = reverse("governance:deploy", args=[project.slug, "d"])
    assert f"{deploy}?version=1&amp;environment=production" in editor.get(version).text


def test_the_page_of_a_running_backtest_updates_itself_until_it_ends(project, agent, editor):
    ran(agent, "rm")
    backtest = backtested(project, RULES)
    Backtest.objects.update(status="running", finished_at=None, passed=1, total=4, result={})
    here = at(project, "backtest_standing", backtest.pk)
    part = editor.get(here).text
    assert "25 % read: 1 of 1 call would be newly denied" in part
    tag = part.partition("tag=")[2].partition('"')[0]
    assert editor.get(f"{here}?tag={tag}").status_code == 204


def test_a_backtest_can_be_cancelled_on_its_page(project, editor):
    save_version(project, document=RULES, by=CONSOLE)
    page = editor.post(at(project, "backtests", "d"), {"version": "1"})["Location"]
    number = Backtest.objects.get().pk
    assert "Cancel</button>" in editor.get(page).text
    assert editor.post(at(project, "cancel_backtest", number)).status_code == 302
    assert "Cancelled after 0 of 0 calls" in editor.get(page).text
    assert "Cancel</button>" not in editor.get(page).text


def test_the_unsaved_text_of_the_editor_can_be_backtested(project, agent, editor):
    ran(agent, "rm")
    response = editor.post(
        at(project, "backtest_text"), {"text": RULES.replace("\n", "\r\n"), "days": "7"}
    )
    assert response.status_code == 302
    backtest = Backtest.objects.get()
    assert bytes(backtest.document).decode() == RULES
    assert "an unsaved draft" in editor.get(response["Location"]).text


def test_the_panel_can_select_agents_and_tools(project, agent, editor):
    ran(agent, "rm", agent_id="one")
    panel = editor.get(at(project, "backtest_panel"), headers={"HX-Request": "true"}).text
    assert 'name="agents" form="draft"' in panel
    assert 'name="tools" form="draft"' in panel
    form = {"text": RULES, "days": "7", "agents": "one, two-*", "tools": "sh*"}
    page = editor.get(editor.post(at(project, "backtest_text"), form)["Location"]).text
    assert "agents <code>one</code>, <code>two-*</code>" in page
    assert "tools <code>sh*</code>" in page


def test_a_draft_id_with_too_many_digits_is_ignored(project, editor):
    request = at(project, "backtest_panel") + "?draft=" + "9" * 5_000
    assert editor.get(request, headers={"HX-Request": "true"}).status_code == 200


def test_an_invalid_contract_is_rejected_with_the_line_of_the_error(project, editor):
    response = editor.post(at(project, "backtest_text"), {"text": "kind: Ruleset\n  a: b"})
    assert response.status_code == 422
    assert "Line 2" in response.text
    assert not Backtest.objects.exists()


@pytest.mark.parametrize("form", [{"version": "9"}, {"version": "1", "environment": "nowhere"}, {}])
def test_an_invalid_form_is_shown_again(project, editor, form):
    save_version(project, document=RULES, by=CONSOLE)
    response = editor.post(at(project, "backtests", "d"), form)
    assert response.status_code == 422
    assert not Backtest.objects.exists()


@pytest.mark.parametrize("name", ["nobody", "a/b", "\0", "<b>\r\n", "x" * 3_000])
def test_the_panel_of_an_unknown_contract_is_404(project, editor, name):
    for headers in ({}, PART):
        answer = editor.get(at(project, "backtest_panel"), {"of": name}, headers=headers)
        assert answer.status_code == 404


def test_the_panel_displays_the_newest_result_and_can_run_the_text(project, agent, editor):
    empty = editor.get(at(project, "backtest_panel"), headers={"HX-Request": "true"}).text
    assert 'form="draft"' in empty
    ran(agent, "rm", "ls")
    backtested(project, RULES)
    panel = editor.get(at(project, "backtest_panel") + "?of=d", headers={"HX-Request": "true"}).text
    assert "1 of 2 calls would be newly denied" in panel
    assert "delay:1s" not in panel
    Backtest.objects.update(status="running", finished_at=None)
    running = editor.get(at(project, "backtest_panel") + "?of=d", headers={"HX-Request": "true"})
    assert "delay:1s" in running.text
    Backtest.objects.update(status="done", finished_at=timezone.now())
    assert (
        "1 of 2 calls would be newly denied"
        in editor.get(at(project, "backtest_panel") + "?of=d").text
    )


def test_a_backtest_started_in_the_editor_returns_the_panel(project, agent, editor):
    ran(agent, "rm")
    here, sent = at(project, "backtest_text"), {"text": RULES, "days": ""}
    queued = editor.post(here, sent, headers=PART).text
    assert "Backtest queued" in queued
    assert "load delay:1s" in queued
    assert "not for this text" not in queued
    refused = editor.post(here, sent | {"text": "rules: 1"}, headers=PART)
    assert "Not run:" in refused.text
    assert refused.status_code == 200  # htmx does not swap in error responses


def test_tools_without_a_change_are_folded_into_one_row(project, agent, editor):
    ran(agent, "rm")
    for tool in ("a", "b"):
        agent.post(builders.an_outcome(tool_name=tool))
    page = text_of(editor.get(at(project, "backtest", backtested(project, RULES).pk)))
    assert "2 other tools: no change" in page


def test_the_panel_states_whether_its_result_is_for_the_text_in_the_editor(project, agent, editor):
    ran(agent, "rm")
    save_version(project, document=RULES, by=CONSOLE)
    here = at(project, "backtest_panel") + "?of=d"
    backtested(project, RULES)
    later = backtested(project, RULES.replace("max_tool_calls: 3", "max_tool_calls: 4"))
    assert "not for this text" not in editor.get(here, headers=PART).text
    stored = reverse("governance:keep_draft", args=[project.slug, "d"])
    assert editor.post(stored, {"text": RULES + "# more", "base": "1"}).status_code == 200
    panel = editor.get(here, headers=PART).text
    assert "not for this text." in panel
    assert at(project, "backtest", later.pk) in panel


def test_the_panel_of_an_unsaved_contract_displays_the_result_of_its_draft(project, agent, editor):
    ran(agent, "rm")
    backtested(project, RULES)
    begun = editor.post(reverse("governance:new_contract", args=[project.slug]), {"text": RULES})
    draft = begun["Location"].rstrip("/").rpartition("/")[2]
    here = f"{at(project, 'backtest_panel')}?of=&draft={draft}"
    assert "not for this text" not in editor.get(here, headers=PART).text
    other = builders.signed_in(builders.a_member(project, Role.EDITOR).user)
    assert "newly denied" not in other.get(here, headers=PART).text
    for unheard in ("0", "x", "9" * 30):
        assert editor.get(f"{at(project, 'backtest_panel')}?draft={unheard}").status_code == 200


def test_a_viewer_can_see_results_but_not_start_a_backtest(project, agent, client_as):
    backtest = backtested(project, RULES)
    save_version(project, document=RULES, by=CONSOLE)
    viewer = client_as(Role.VIEWER)
    assert "No calls to replay" in viewer.get(at(project, "backtest", backtest.pk)).text
    assert "Run backtest</button>" not in viewer.get(at(project, "backtests", "d")).text
    assert viewer.post(at(project, "backtests", "d"), {"version": "1"}).status_code == 403
    assert viewer.post(at(project, "backtest_text"), {"text": RULES}).status_code == 403


def test_an_unknown_backtest_is_404(project, editor):
    assert editor.get(at(project, "backtest", 999_999)).status_code == 404
    assert editor.get(at(project, "backtests", "nothing")).status_code == 404


def test_a_failed_backtest_is_summarized_in_one_sentence_with_its_error(project, editor):
    backtest = backtested(project, RULES)
    Backtest.objects.update(status="failed", error="The library is away.")
    page = editor.get(at(project, "backtest", backtest.pk)).text
    assert "This backtest failed" in page
    assert "The library is away." in page


def test_the_contract_page_displays_its_newest_backtest(
    project, agent, editor, django_assert_max_num_queries
):
    ran(agent, "ls", "rm")
    save_version(project, document=RULES, by=CONSOLE)
    here = at(project, "newest_backtest", "d")
    none_yet = editor.get(here, headers=PART).text
    assert "No backtest yet" in none_yet
    assert at(project, "backtests", "d") in none_yet
    editor.post(at(project, "backtests", "d"), {"version": "1", "days": ""})
    assert 'hx-trigger="load delay:2s"' in editor.get(here, headers=PART).text
    run_waiting_backtests()
    with django_assert_max_num_queries(12):
        part = editor.get(here, headers=PART).text
    assert part.lstrip().startswith("<section")
    assert "hx-trigger" not in part
    assert at(project, "backtest", Backtest.objects.get().pk) in part
    assert "1 of 2 calls would be newly denied" in part
    version_page = reverse("governance:contract_version", args=[project.slug, "d", 1])
    assert version_page in part


def test_the_contract_page_prefers_the_backtest_of_its_newest_version(project, agent, editor):
    ran(agent, "rm")
    save_version(project, document=RULES, by=CONSOLE)
    here = at(project, "newest_backtest", "d")
    other = backtested(project, RULES + "# more")
    part = editor.get(here, headers=PART).text
    assert "Newest backtest" in part
    assert at(project, "backtest", other.pk) in part
    assert "v1 has no backtest yet." in part
    of_v1 = backtested(project, RULES)
    backtested(project, RULES + "# and more")
    part = editor.get(here, headers=PART).text
    assert "Backtest of v1" in part
    assert at(project, "backtest", of_v1.pk) in part
    assert reverse("governance:contract_version", args=[project.slug, "d", 1]) in part


def test_an_undetermined_call_is_listed_as_unknown_and_not_as_denied(project, agent, editor):
    at_once = datetime(2026, 11, 18, tzinfo=UTC).isoformat()
    ran(agent, "rm", "ls", "ls", "ls", "ls", session_id="s", timestamp=at_once)
    backtest = backtested(project, RULES)
    assert backtest.undetermined
    page = editor.get(at(project, "backtest", backtest.pk)).text
    unknown = re.findall(r'data-label="would be">\s*unknown', page)
    assert len(unknown) == min(backtest.undetermined, 4)


def test_a_backtest_that_has_not_read_any_calls_has_no_counts_yet(project, editor):
    backtest = backtested(project, RULES)
    Backtest.objects.update(status="running", finished_at=None, passed=0, total=0)
    page = editor.get(at(project, "backtest", backtest.pk)).text
    assert "Reading the first calls" in page
    assert "Counting calls." in page


def test_without_javascript_the_newest_backtest_is_a_separate_page(project, agent, client_as):
    viewer = client_as(Role.VIEWER)
    save_version(project, document=RULES, by=CONSOLE)
    page = viewer.get(at(project, "newest_backtest", "d")).text
    assert "<h1" in page
    assert "No backtest of <code>d</code> yet" in page
    assert "Run one" not in page
    assert viewer.get(at(project, "newest_backtest", "unheard-of")).status_code == 404


def test_a_custom_period_is_stored_to_the_minute(project, agent, editor):
    ran(agent, "rm")
    save_version(project, document=RULES, by=CONSOLE)
    here = at(project, "backtests", "d")
    form = {"version": "1", "days": "between", "since": "2026-11-01T09:30:59Z"}
    result = editor.post(here, form | {"until": "2026-11-02T09:30"})["Location"]
    backtest = Backtest.objects.get()
    assert backtest.since == datetime(2026, 11, 1, 9, 30, tzinfo=UTC)
    assert backtest.until == datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
    again = re.search(r'href="([^"]*)">Run again', editor.get(result).text)
    assert again is not None
    filled_in = editor.get(html.unescape(again[1])).text
    assert '<option value="between" selected>' in filled_in
    assert 'name="since" value="2026-11-01T09:30"' in filled_in
    assert 'name="until" value="2026-11-02T09:30"' in filled_in


def test_a_period_that_ends_before_it_starts_is_rejected_and_stays_filled_in(project, editor):
    save_version(project, document=RULES, by=CONSOLE)
    form = {"version": "1", "days": "between", "since": "2026-11-02T09:30", "agents": "b*"}
    refused = editor.post(at(project, "backtests", "d"), form | {"until": "2026-11-01T09:30"})
    assert refused.status_code == 422
    assert "ends before it starts" in refused.text
    assert 'name="since" value="2026-11-02T09:30"' in refused.text
    assert 'value="b*"' in refused.text


def test_a_period_does_not_extend_into_the_future(project, editor):
    save_version(project, document=RULES, by=CONSOLE)
    form = {"version": "1", "days": "between", "until": "2999-01-01T00:00"}
    assert editor.post(at(project, "backtests", "d"), form).status_code == 302
    assert Backtest.objects.get().until <= timezone.now()


def test_agents_and_tools_can_be_selected_from_a_list_or_typed(
    project, agent, editor, django_assert_max_num_queries
):
    ran(agent, "rm", agent_id="one")
    ran(agent, "rm", agent_id="two, and three")
    save_version(project, document=RULES, by=CONSOLE)
    here = at(project, "backtests", "d")
    editor.get(here)  # the first visit stores the last used project
    with django_assert_max_num_queries(12):
        page = editor.get(here).text
    assert re.search(r'<input type="checkbox" name="agent" value="two, and three"\s*>', page)
    assert re.search(r'<input type="checkbox" name="tool" value="shell"\s*>', page)
    form = {"version": "1", "days": "", "agents": "x-*, y", "agent": "two, and three"}
    result = editor.post(here, form | {"tool": ["shell"]})["Location"]
    backtest = Backtest.objects.get()
    assert (backtest.agents, backtest.tools) == (["x-*", "y", "two, and three"], ["shell"])
    again = re.search(r'href="([^"]*)">Run again', editor.get(result).text)
    assert again is not None
    filled_in = editor.get(html.unescape(again[1])).text
    assert 'name="agents" value="x-*, y"' in filled_in
    assert 'name="agent" value="two, and three" checked' in filled_in
    assert 'name="tool" value="shell" checked' in filled_in
    assert '<option value="" selected>All time</option>' in filled_in

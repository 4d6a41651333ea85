"""Pages of impact previews and reclassifications: start, progress, result and cancellation."""

import html
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from governance.checks.commands.checks import save_check
from governance.core.roles import Role
from outcomes.models import Call, Rejudging
from tests import builders
from tests.outcomes.backtests import EDITOR
from tests.outcomes.reclassification.test_rejudging import NOT_OK, OK, ran, unified
from tests.outcomes.rejudging import CHECK, reclassified, tried
from tests.outcomes.waiting_jobs import run_waiting_parts


@pytest.fixture
def editor(project, client_as):
    return client_as(Role.EDITOR)


def at(project, name, *args):
    return reverse(f"outcomes:{name}", args=[project.slug, *args])


def test_an_editor_can_preview_the_impact_of_a_version(project, agent, editor):
    builders.deployed(builders.a_version(project, max_tool_calls=1))
    agent.post(ran(NOT_OK, call_id="c-1", tool_name="crm_update"), ran(OK, 1))
    save_check(project, document=CHECK, by=EDITOR)
    here = at(project, "check_backtests", "unified")
    assert "No results yet" in editor.get(here).content.decode()
    response = editor.post(here, {"version": "1", "days": "", "scope": "all"})
    rejudging = Rejudging.objects.get()
    assert response.url == at(project, "check_backtest", rejudging.pk)
    assert "Queued" in editor.get(response.url).content.decode()
    run_waiting_parts()
    page = editor.get(response.url).content.decode()
    assert "1 of 2 calls would change to failure" in page
    assert "crm_update" in page
    assert "not-ok" in page
    assert "v1" in editor.get(here).content.decode()


def test_the_live_section_refreshes_only_after_a_change(project, agent, editor):
    agent.post(ran(NOT_OK))
    rejudging = tried(project)
    here = at(project, "rejudging_standing", rejudging.kind, rejudging.pk)
    page = editor.get(here)
    assert "would change to failure" in page.content.decode()
    tag = page.context["tag"]
    assert editor.get(here, {"tag": tag}).status_code == 204
    assert editor.get(here, {"tag": "another"}).status_code == 200


def test_without_javascript_a_draft_is_saved_before_its_preview(project, agent, editor):
    agent.post(ran(NOT_OK))
    save_check(project, document=CHECK, by=EDITOR)
    here = reverse("governance:edit_check_draft", args=[project.slug, "unified"])
    text = CHECK.replace("not-ok", "refused")
    fields = {"text": text, "base": "1", "seen": "", "days": "", "act": "backtest"}
    answer = editor.post(here, fields, follow=True)
    assert answer.redirect_chain[0] == (at(project, "check_backtest_text"), 307)
    assert bytes(Rejudging.objects.get().document) == text.encode()
    assert "refused" in editor.get(here).text


def test_an_unsaved_check_can_be_previewed_and_an_invalid_one_is_rejected(project, agent, editor):
    agent.post(ran(NOT_OK))
    here = at(project, "check_backtest_text")
    response = editor.post(here, {"text": CHECK.replace("\n", "\r\n"), "days": ""})
    assert response.status_code == 302
    assert bytes(Rejudging.objects.get().document) == CHECK.encode()
    refused = editor.post(here, {"text": CHECK.replace("equals", "equal")})
    assert refused.status_code == 422
    assert "equal" in refused.content.decode()


@pytest.mark.parametrize(
    ("tool", "chosen", "tried_on"),
    [
        ("    tool: crm_*\n", "", ["crm_*"]),
        ("    tool: crm_*\n", "shell", ["shell"]),
        ("", "", []),
    ],
)
def test_an_unbound_check_is_previewed_on_the_tools_its_rules_name(
    project, editor, tool, chosen, tried_on
):
    text = CHECK.replace("    when:", f"{tool}    when:")
    editor.post(at(project, "check_backtest_text"), {"text": text, "days": "", "tools": chosen})
    assert Rejudging.objects.get().tools == tried_on


def test_a_bound_check_is_previewed_on_the_calls_it_classifies(project, editor):
    unified(project, "crm_*")
    text = CHECK.replace("    when:", "    tool: shell\n    when:")
    editor.post(at(project, "check_backtest_text"), {"text": text, "days": ""})
    assert (Rejudging.objects.get().tools, Rejudging.objects.get().scope) == ([], "bound")


def again(page: str) -> str | None:
    match = re.search(r'href="([^"]*)">\s*Run again', page)
    return html.unescape(match[1]) if match else None


def test_a_cancelled_reclassification_can_be_run_again_over_the_same_calls(project, agent, editor):
    agent.post(ran(NOT_OK))
    unified(project, "*")
    form = {"days": "7", "tools": "crm_*, shell", "agents": "x-*"}
    first = editor.post(at(project, "reclassifications"), form).url
    rejudging = Rejudging.objects.get()
    page = editor.post(
        at(project, "cancel_rejudging", rejudging.kind, rejudging.pk), follow=True
    ).text
    assert "Run it again for the rest." in page
    link = again(page)
    assert link is not None
    filled_in = editor.get(link).text
    assert 'name="tools" value="crm_*, shell"' in filled_in
    assert 'name="agents" value="x-*"' in filled_in
    assert f'name="since" value="{rejudging.since:%Y-%m-%dT%H:%M}"' in filled_in
    until = rejudging.until + timedelta(minutes=1)
    assert f'name="until" value="{until:%Y-%m-%dT%H:%M}"' in filled_in
    assert again(editor.get(first).text) == link


def test_a_preview_of_a_version_can_be_run_again_and_one_of_a_draft_links_to_it(
    project, agent, editor
):
    save_check(project, document=CHECK, by=EDITOR)
    form = {"version": "1", "days": "", "scope": "all"}
    rejudging = editor.post(at(project, "check_backtests", "unified"), form).url
    link = again(editor.get(rejudging).text)
    assert link is not None
    filled_in = editor.get(link).text
    assert re.search(r'<option value="1" selected>\s*v1', filled_in)
    assert '<option value="all" selected>' in filled_in
    tried_text = editor.post(at(project, "check_backtest_text"), {"text": CHECK, "days": ""}).url
    page = editor.get(tried_text).text
    assert again(page) is None
    back = reverse("governance:edit_check_draft", args=[project.slug, "unified"])
    assert re.search(rf'href="{back}">\s*Back to draft\s*</a>', page)


def test_calls_can_be_reclassified_on_a_page_and_the_run_cancelled(project, agent, editor):
    agent.post(ran(NOT_OK))
    unified(project, "*")
    here = at(project, "reclassifications")
    first = editor.post(here, {"days": ""}).url
    rejudging = Rejudging.objects.get()
    editor.post(at(project, "cancel_rejudging", rejudging.kind, rejudging.pk))
    assert run_waiting_parts() == 0
    assert "Cancelled after 0 of 1" in editor.get(first).content.decode()
    second = editor.post(here, {"days": ""}).url
    run_waiting_parts()
    assert "1 of 1 call changed to failure" in editor.get(second).content.decode()
    assert Call.objects.get().verdict == "failure"
    assert editor.get(here).content.decode().count("row-link") == 2


def test_an_invalid_form_is_shown_again_with_the_error(project, editor):
    response = editor.post(at(project, "reclassifications"), {"environment": "nowhere"})
    assert response.status_code == 422
    assert "Environment not found." in response.content.decode()


def test_a_viewer_can_see_reclassifications_but_not_start_one(project, agent, pages, client_as):
    agent.post(ran(NOT_OK))
    rejudging = reclassified(project)
    viewer = client_as(Role.VIEWER)
    assert viewer.get(at(project, "reclassification", rejudging.pk)).status_code == 200
    page = viewer.get(at(project, "reclassifications")).content.decode()
    assert "Reclassify these calls" not in page


def test_jobs_of_another_project_or_kind_are_404(project, agent, editor):
    other = builders.a_project()
    theirs = tried(other)
    assert editor.get(at(project, "check_backtest", theirs.pk)).status_code == 404
    mine = tried(project)
    assert editor.get(at(project, "reclassification", mine.pk)).status_code == 404
    assert editor.get(at(project, "check_backtests", "no-such")).status_code == 404


def test_the_verdicts_of_two_versions_can_be_compared(project, agent, editor):
    here = at(project, "check_verdicts", "unified")
    agent.post(ran(NOT_OK, call_id="c-1"), ran(OK, 1), ran("Error: x", 2))
    unified(project, "*")
    assert "Nothing to compare yet" in editor.get(here).content.decode()
    reclassified(project)
    save_check(project, document=CHECK.replace("equals: false", "equals: true"), by=EDITOR)
    reclassified(project)
    page = editor.get(here)
    assert "disagree on 2 of 3 calls" in strip(page)
    trail = page.content.decode().partition('<nav class="crumbs"')[2].partition("</nav>")[0]
    assert trail.count("<li>") == 2
    assert [call.call_id for call, _, _ in page.context["samples"]][-1] == "c-1"
    swapped = editor.get(here, {"from": "2", "to": "1"})
    assert swapped.context["rows"][0][1][1] == ("failure", 1)
    save_check(project, document=CHECK.replace("not-ok", "third"), by=EDITOR)
    reclassified(project)
    assert "disagree on 2 of 3 calls" in strip(editor.get(here, {"from": "1", "to": "2"}))
    assert "disagree on 0 of 3 calls" in strip(editor.get(here, {"from": "1", "to": "3"}))


def strip(page):
    return strip_tags(page.content.decode())

"""By default a backtest replays only calls of its contract, as the rules of other contracts do not
apply to it."""

import json

import pytest
from django.urls import reverse

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.deployment_requests import Required
from governance.core.roles import Role
from governance.delivery.commands.assignments import assign
from governance.people.commands.requirements import require
from outcomes.backtesting.commands import start_backtest
from outcomes.models import Backtest
from outcomes.recorded_calls.selection import CallCriteria
from tests import builders
from tests.governance.contracts.documents import document, pre
from tests.outcomes.backtests import EDITOR, backtested
from tests.outcomes.waiting_jobs import run_waiting_backtests

OURS = document(pre("{args.command: {contains: rm}}", rule_id="no-rm"))
THEIRS = document(pre("{args.command: {contains: ls}}", rule_id="no-ls")).replace(
    "name: d", "name: theirs"
)


def saved(project, text):
    version, _ = save_version(project, document=text, by=CONSOLE)
    return version


def ran(command, version=None, **fields):
    version_fields = {"policy_version": version.revision_hash} if version else {}
    args = {"command": command}
    return builders.an_outcome(tool_name="shell", tool_args=args, **version_fields, **fields)


def own(project, text=OURS, **criteria):
    started = start_backtest(
        project.pk, by=EDITOR, document=text, criteria=CallCriteria(**criteria), contract_only=True
    )
    run_waiting_backtests()
    return Backtest.objects.get(pk=started.pk)


@pytest.fixture
def two(project, agent):
    """Two contracts, each with an agent that runs it. The rule of the other one denies a call."""
    ours, theirs = saved(project, OURS), saved(project, THEIRS)
    denial = {"type": "denied", "reason": "contract", "decision_name": "no-ls"}
    agent.post(
        ran("rm x", ours, agent_id="mine"),
        ran("date", ours, agent_id="mine"),
        ran("ls", theirs, agent_id="other", **denial),
        ran("rm y", theirs, agent_id="other"),
    )
    return project


def test_calls_under_another_contract_are_excluded(two):
    backtest = own(two)
    assert (backtest.calls_under, backtest.calls) == ("contract", 2)
    assert (backtest.newly_denied, backtest.newly_allowed, backtest.unchanged) == (1, 0, 1)
    everything = backtested(two, OURS)
    assert (everything.calls_under, everything.calls) == ("all", 4)
    assert (everything.newly_denied, everything.newly_allowed) == (2, 1)


def test_a_contract_without_calls_is_replayed_over_all_calls_and_the_result_says_so(two, client_as):
    unheard = OURS.replace("name: d", "name: unheard")
    backtest = own(two, unheard)
    assert (backtest.calls_under, backtest.calls) == ("all_instead", 4)
    page = client_as(Role.EDITOR).get(reverse("outcomes:backtest", args=[two.slug, backtest.pk]))
    assert "under any contract or none (none ran under <code>unheard</code>)" in page.text


def test_calls_of_an_agent_assigned_the_contract_are_included(two):
    assign(two, bundle_name="d", env="production", agent="oth*", by=CONSOLE)
    assert own(two).calls == 4


def test_calls_without_a_known_contract_are_included_for_agents_that_run_it(two, agent):
    agent.post(ran("cal", agent_id="mine"), ran("cal", agent_id="unruled"))
    backtest = own(two)
    assert backtest.calls == 3
    assert set(backtest.result["by_agent"]) == {"mine"}


def test_the_backtest_can_be_narrowed_to_some_of_its_agents(two):
    assert own(two, agents=["oth*"]).calls == 0
    assert own(two, agents=["mi*"]).calls == 2


@pytest.mark.slow
def test_the_form_selects_calls_of_the_contract_by_default(two, client_as):
    editor = client_as(Role.EDITOR)
    form = reverse("outcomes:backtests", args=[two.slug, "d"])
    pages = []
    for chosen in ({}, {"calls": "all"}):
        page = editor.post(form, {"version": "1", "days": "", **chosen})["Location"]
        run_waiting_backtests()
        pages.append(editor.get(page).text)
    assert "calls in all environments under <code>d</code>" in pages[0]
    assert "calls in all environments under any contract or none" in pages[1]
    assert "calls=all" not in pages[0].partition("Run again")[0].rpartition("<a ")[2]
    again = pages[1].partition("Run again")[0].rpartition('href="')[2].partition('"')[0]
    assert "calls=all" in again
    assert '<option value="all" selected>' in editor.get(again.replace("&amp;", "&")).text


def test_the_api_replays_all_calls_by_default(two):
    manager = builders.bearing(builders.a_key(two, "manage")[0])
    listed = []
    for more in ({}, {"contract_only": True}):
        here = "/v1/contracts/backtests"
        body = json.dumps({"name": "d", **more})
        number = manager.post(here, body, content_type="application/json").json()["id"]
        run_waiting_backtests()
        listed.append(manager.get(f"{here}/{number}").json())
    assert [(each["contract_only"], each["calls"]) for each in listed] == [(False, 4), (True, 2)]


def test_the_deployment_page_names_the_newest_backtest_even_if_it_is_narrowed(two, client_as):
    editor = client_as(Role.EDITOR)
    page = reverse("governance:deploy", args=[two.slug, "d"]) + "?version=1&environment=production"
    backtest = own(two)
    narrowed = own(two, agents=["mi*"], tools=["shell"])
    deploy = editor.get(page).text
    assert "This exact version, 2 calls in all environments under <code>d</code>" in deploy
    over = "calls in all environments under <code>d</code>, agents <code>mi*</code>, tools"
    assert f"covers only {over} <code>shell</code>: 1 of" in deploy
    for each in (backtest, narrowed):
        assert reverse("outcomes:backtest", args=[two.slug, each.pk]) in deploy
    again = own(two)
    deploy = editor.get(page).text
    assert "A newer one" not in deploy
    assert reverse("outcomes:backtest", args=[two.slug, again.pk]) in deploy


def test_a_narrowed_backtest_does_not_satisfy_a_requirement(two, client_as):
    required = Required(max_newly_denied=5)
    require(two, env="production", required=required, by=CONSOLE)
    narrowed = own(two, agents=["mi*"])
    manager = builders.bearing(builders.a_key(two, "manage")[0])
    plan_at = "/v1/contracts/d/deployment-plan?env=production"
    plan = manager.get(plan_at).json()
    assert (plan["backtest"], plan["narrowed_backtest"]["id"]) == (None, narrowed.pk)
    assert [each["code"] for each in plan["blocked"]] == ["backtest_required"]
    page = reverse("governance:deploy", args=[two.slug, "d"]) + "?version=1&environment=production"
    text = client_as(Role.EDITOR).get(page).text
    assert "No backtest of this exact version" in text
    assert "A newer one covers only calls in all environments under <code>d</code>" in text
    backtest = own(two)
    plan = manager.get(plan_at).json()
    assert (plan["backtest"]["id"], plan["narrowed_backtest"]) == (backtest.pk, None)
    assert plan["blocked"] == []

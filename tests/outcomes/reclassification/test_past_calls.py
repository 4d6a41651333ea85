"""Past calls whose verdicts come from another check or version than the one bound now."""

import pytest

from governance.checks.commands.checks import save_check
from governance.core.roles import Role
from tests import builders
from tests.governance.naming import a_check, bound, check_text
from tests.items import an_outcome
from tests.outcomes.backtests import EDITOR
from tests.outcomes.pages import Pages, text_of

PART = "live/past-calls/"
RULE = "{when: {result.fine: {equals: false}}, id: other, verdict: failure}"


@pytest.fixture
def editors(project):
    pages = Pages(builders.signed_in(builders.a_member(project, Role.EDITOR).user), project.slug)
    pages.get("checks/")
    return pages


@pytest.fixture
def called(agent):
    agent.post(
        *(an_outcome(tool_name="crm_update", output={"ok": True}) for _ in range(3)),
        an_outcome(tool_name="crm_update"),  # without an output: no check can be applied
        an_outcome(tool_name="other", output=1),
    )


@pytest.mark.usefixtures("called")
def test_a_new_binding_offers_to_reclassify_past_calls(project, editors, pages):
    assert editors.text(PART, tool="crm_*") == ""
    a_check(project)
    bound(project, "crm_* mine")
    answer = editors.get(PART, tool="crm_*")
    assert "3 past calls of crm_* have a verdict from another check or version." in text_of(answer)
    assert "reclassifications/?days=&amp;tool=crm_%2A" in answer.content.decode()
    assert "Reclassify 3 past calls…" in text_of(answer)
    assert "Reclassify 3" not in pages.text(PART, tool="crm_*")
    form = editors.text("checks/reclassifications/", days="", tool="crm_update")
    assert "3 past calls of the selected tools have a verdict from another check" in form
    assert editors.text(PART, tool="other") == ""


@pytest.mark.usefixtures("called")
def test_past_calls_of_an_older_version_count_and_those_of_other_agents_do_not(
    project, editors, agent
):
    a_check(project)
    bound(project, "* billing-* crm_update mine")
    agent.post(an_outcome(tool_name="crm_update", output=1, agent_id="billing-bot"))
    assert editors.text(PART, tool="crm_update") == ""
    save_check(project, document=check_text(RULE), by=EDITOR)
    assert "1 past call of crm_update has a verdict" in editors.text(PART, tool="crm_update")


@pytest.mark.usefixtures("called")
def test_a_change_without_effect_on_past_calls_says_so(editors):
    words = "All recorded calls have verdicts of the current checks."
    assert words in editors.text(PART, of="changed", tool="*")


@pytest.mark.usefixtures("called")
def test_past_calls_are_counted_up_to_a_limit(project, editors, monkeypatch):
    monkeypatch.setattr("outcomes.reclassification.queries.past_calls.COUNTED", 2)
    bound(project, "* mcp")
    assert "More than 2 past calls" in editors.text(PART, of="changed", tool="*")
    assert "Reclassify more than 2 past calls…" in editors.text(PART, of="changed", tool="*")

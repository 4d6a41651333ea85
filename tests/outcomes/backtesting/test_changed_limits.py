"""Backtests of a version with a different session limit, started from a form or a session."""

import html
import re
from typing import Any

import pytest

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import BundleVersion, Draft
from outcomes.models import Backtest
from tests import builders
from tests.governance.contracts.documents import document, pre
from tests.outcomes.pages import Pages, a_denied_item, an_item, text_of
from tests.outcomes.waiting_jobs import run_waiting_backtests

SESSION = (
    "{id: limits, type: session, limits: {max_tool_calls: 3}, then: {action: block, message: m}}"
)
RULES = document(pre("{args.command: {contains: rm}}", rule_id="no-rm"), SESSION)


@pytest.fixture
def version(project) -> BundleVersion:
    saved, _ = save_version(project, document=RULES, by=CONSOLE)
    return saved


@pytest.fixture
def editor(project) -> Pages:
    member = builders.a_member(project, Role.EDITOR)
    return Pages(builders.signed_in(member.user), project.slug)


def post(editor: Pages, path: str, **form: str) -> Any:
    return editor.client.post(f"{editor.base}/{path}", form)


def stuck(agent, version: BundleVersion) -> None:
    """Two calls that ran, then one call denied 30 times."""
    loop: dict[str, Any] = {
        "tool_args": {"command": "rm"},
        "decision_name": "no-rm",
        "details": "No.",
    }
    under = {"policy_version": version.revision_hash}
    agent.post(
        *(an_item(**under) for _ in range(2)),
        *(a_denied_item(**loop, **under) for _ in range(30)),
    )


def link_named(body: str, words: str) -> str:
    (address,) = re.findall(rf'href="([^"]*)"[^>]*>\s*{words}\s*</a>', body)
    return html.unescape(address)


@pytest.mark.usefixtures("version")
def test_a_version_can_be_backtested_with_another_limit_without_being_changed(agent, editor):
    agent.post(*(an_item(tool_args={"command": "ls"}) for _ in range(3)))
    form = {"version": "1", "calls": "all", "days": "", "limit": "max_tool_calls", "value": "2"}
    here = post(editor, "contracts/b/d/backtests/", **form)["Location"]
    run_waiting_backtests()
    text = text_of(editor.client.get(here))
    assert "1 session would newly hit the limit" in text
    assert "v1 with max_tool_calls: 2" in text
    assert bytes(BundleVersion.objects.get().document).decode() == RULES
    assert "v1 with max_tool_calls: 2" in editor.text("contracts/b/d/backtests/")
    again = editor.client.get(link_named(editor.client.get(here).text, "Run again…")).text
    assert "<option selected>max_tool_calls</option>" in again
    assert 'value="2"' in again


@pytest.mark.usefixtures("version")
@pytest.mark.parametrize("value", ["", "0", "-1", "20000", "x"])
def test_an_invalid_limit_is_rejected_at_its_field(editor, value):
    form = {"version": "1", "limit": "max_attempts", "value": value}
    answer = post(editor, "contracts/b/d/backtests/", **form)
    assert answer.status_code == 422
    field = answer.text[answer.text.index('id="backtest-value"') :][:700]
    assert "Enter a limit from 1 to 10,000." in field
    assert Backtest.objects.count() == 0


@pytest.mark.usefixtures("version")
def test_the_changed_limit_can_be_saved_as_a_draft(editor):
    form = {"version": "1", "limit": "max_attempts", "value": "20"}
    here = post(editor, "contracts/b/d/backtests/", **form)["Location"]
    number = Backtest.objects.get().pk
    assert "Edit as draft" in editor.client.get(here).text
    post(editor, f"contracts/backtests/{number}/draft/")
    assert "max_attempts: 20" in Draft.objects.get().text
    Draft.objects.update(text="another")
    answer = editor.client.post(f"{editor.base}/contracts/backtests/{number}/draft/", follow=True)
    assert "You already have a draft of d" in text_of(answer)
    assert Draft.objects.get().text == "another"


def test_a_backtest_without_a_changed_limit_cannot_become_a_draft(editor, version):
    post(editor, "contracts/b/d/backtests/", version=str(version.number))
    number = Backtest.objects.get().pk
    assert "Edit as draft" not in editor.text(f"contracts/backtests/{number}/")
    here = f"{editor.base}/contracts/backtests/{number}/draft/"
    assert "nothing to edit" in text_of(editor.client.post(here, follow=True))
    assert not Draft.objects.exists()


def test_the_cause_of_a_stuck_session_links_to_a_backtest_with_a_limit(
    agent, editor, version, pages
):
    stuck(agent, version)
    address = link_named(editor.get("sessions/s-1/").text, "Backtest with 10")
    form = editor.client.get(address).text
    assert "<option selected>max_attempts</option>" in form
    assert re.search(r'name="value"[^>]*value="10"', form)
    assert '<option value="7" selected>' in form
    # A viewer cannot start a backtest.
    assert "Backtest with" not in pages.get("sessions/s-1/").text


def test_a_session_that_hit_its_limit_early_links_to_a_backtest_with_a_higher_one(
    agent, editor, version
):
    under = {"policy_version": version.revision_hash}
    outputs: list[Any] = [{"is_error": True}, {"is_error": True}, "fine"]
    agent.post(
        *(an_item(output=output, **under) for output in outputs),
        a_denied_item(reason="limit", decision_name="limits", **under),
    )
    address = link_named(editor.get("sessions/s-1/").text, "Backtest with 5")
    form = editor.client.get(address).text
    assert "<option selected>max_tool_calls</option>" in form
    assert re.search(r'name="value"[^>]*value="5"', form)

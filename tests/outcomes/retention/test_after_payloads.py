"""Reclassifications and backtests of calls whose payloads were removed by retention."""

import pytest

from outcomes.artifacts.commands.contents import REMOVED
from outcomes.models import Call
from outcomes.reclassification.classifying import REMOVED_OUTPUT
from tests.governance.naming import a_check, bound
from tests.outcomes.backtests import backtested
from tests.outcomes.pages import an_item
from tests.outcomes.rejudging import reclassified
from tests.outcomes.retention.later import carried_out, days_later

CONTRACT = """apiVersion: edictum/v1
kind: ContractBundle
metadata: {name: later}
defaults: {mode: enforce}
contracts:
  - id: no-letters
    type: pre
    tool: query
    when: {args.to: {exists: true}}
    then: {effect: deny, message: "no letters"}
"""


@pytest.fixture
def stripped(project, agent, monkeypatch):
    """Calls classified by the default check whose payloads were then removed."""
    agent.post(
        an_item("s-1", call_id="bad", tool_args={"to": "jane"}, output="Error: no"),
        an_item("s-1", call_id="good", tool_args={"to": "ben"}, output={"ok": False}),
        an_item("s-1", call_id="large", output="word " * 4_000),
    )
    with monkeypatch.context() as patched:
        days_later(patched, 91)
        carried_out(project)
    agent.post(an_item("s-2", call_id="new", tool_args={"to": "mia"}, output={"ok": False}))


def verdicts():
    return dict(Call.objects.values_list("call_id", "verdict"))


def test_reclassification_counts_calls_without_payloads_and_does_not_change_them(project, stripped):
    a_check(project, "{when: {result.ok: {equals: false}}, id: not-ok, verdict: failure}", name="u")
    bound(project, "query u")
    before = verdicts()
    done = reclassified(project)
    assert done.status == done.Status.DONE, done.error
    assert verdicts() == before | {"new": "failure"}
    assert "unknown" not in verdicts().values()
    not_checked = done.result["flips"]["not_checked"]
    assert not_checked == {REMOVED_OUTPUT: 2, REMOVED.reason: 1}


def test_a_backtest_skips_calls_without_the_payload_its_rules_read(project, stripped):
    backtest = backtested(project, CONTRACT)
    assert backtest.result["not_replayed"]["payload_removed"] == 2

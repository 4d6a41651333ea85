"""The real SDK requests approvals from this console: approved, rejected and expired."""

import asyncio
import json
import time
import uuid
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from edictum import Edictum, EdictumDenied
from edictum.server import EdictumServerClient, ServerApprovalBackend, ServerAuditSink
from playwright.sync_api import expect

from tests.journeys.console import KEY, Console

pytestmark = pytest.mark.both_databases

RULES = """
apiVersion: edictum/v1
kind: Ruleset
metadata: {{name: charges}}
defaults: {{mode: enforce}}
rules:
  - id: large-charge-asks
    type: pre
    tool: payments_charge
    when: {{args.amount: {{gt: 1000}}}}
    then: {{action: ask, message: "{{args.amount}} takes a person", timeout: {timeout}, timeout_action: {action}}}
"""  # noqa: E501 - one rule, as its authors write it


class Asking:
    """A uniquely named agent that makes one call which requires approval, in a thread with its own
    loop."""

    def __init__(self, console: Console, *, timeout: int = 60, action: str = "block") -> None:
        self.console = console
        self.agent = f"bot-{uuid.uuid4().hex[:8]}"
        self.rules = RULES.format(timeout=timeout, action=action)

    def begin(self, pool: ThreadPoolExecutor) -> Future[Any]:
        return pool.submit(asyncio.run, self._run())

    async def _run(self) -> Any:
        async with EdictumServerClient(self.console.url, KEY, agent_id=self.agent) as client:
            sink = ServerAuditSink(client)
            guard = Edictum.from_yaml_string(
                self.rules,
                audit_sink=sink,
                approval_backend=ServerApprovalBackend(client, poll_interval=0.1),
            )
            try:
                return await guard.run("payments_charge", {"amount": 1240}, lambda amount: amount)
            finally:
                await sink.close()

    def approval(self, status: str) -> dict[str, Any]:
        """Wait until the agent's only approval has this status and return it."""
        until = time.monotonic() + 30
        while True:
            path = f"approvals?agent_id={self.agent}&status={status}"
            result = self.console.ask("GET", path)[1]["approvals"]
            if result:
                (approval,) = result
                return dict(approval)
            assert time.monotonic() < until, f"no approval of {self.agent} is {status}"
            time.sleep(0.05)

    def decide(self, decision: str, reason: str) -> None:
        path = f"approvals/{self.approval('pending')['id']}/decision"
        body = json.dumps({"decision": decision, "reason": reason}).encode()
        assert self.console.ask("POST", path, body)[0] == 200

    def actions(self) -> list[str]:
        path = f"events?agent_id={self.agent}"
        return [event["action"] for event in self.console.settled(path)["events"]][::-1]


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def test_an_approved_call_runs_and_the_page_names_its_rule(console, admin, pool):
    agent = Asking(console)
    running = agent.begin(pool)
    agent.decide("approve", "seen by phone")
    assert running.result(30) == 1240
    assert agent.actions() == ["call_asked", "call_approval_granted", "call_executed"]
    approval = agent.approval("approved")
    assert approval["message"] == "1240 takes a person"
    admin.goto(f"{console.url}/p/default/approvals/")
    row = admin.get_by_role("row").filter(has_text=agent.agent)
    expect(row).to_contain_text("large-charge-asks")
    expect(row).to_contain_text("seen by phone")


def test_a_rejected_call_never_runs_and_the_agent_gets_the_reason(console, pool):
    agent = Asking(console)
    running = agent.begin(pool)
    agent.decide("reject", "not today")
    with pytest.raises(EdictumDenied) as denied:
        running.result(30)
    assert denied.value.reason == "not today"
    assert agent.actions() == ["call_asked", "call_approval_blocked"]


def test_an_expired_approval_is_denied_and_late_decisions_are_rejected(console, pool):
    agent = Asking(console, timeout=1)
    with pytest.raises(EdictumDenied):
        agent.begin(pool).result(30)
    approval = agent.approval("timeout")
    path = f"approvals/{approval['id']}/decision"
    assert console.ask("POST", path, b'{"decision": "approve"}')[0] == 409
    assert agent.actions() == ["call_asked", "call_approval_timeout"]


def test_an_expired_approval_runs_if_the_rule_allows_it(console, pool):
    agent = Asking(console, timeout=1, action="allow")
    assert agent.begin(pool).result(30) == 1240
    assert agent.approval("timeout")["timeout_action"] == "allow"
    assert agent.actions()[0] == "call_asked"
    assert agent.actions()[-1] == "call_executed"

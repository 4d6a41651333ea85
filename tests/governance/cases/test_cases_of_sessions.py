"""Session tests stop at the same call as an agent that uses the library."""

import asyncio
from typing import Any

import edictum
import pytest
from edictum.approval import ApprovalDecision, ApprovalRequest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.case_runs.queries import run_text
from governance.core.cases import Case, CaseCall, Stops
from tests.governance.contracts.documents import ALWAYS, document, pre

RULES = (
    pre(ALWAYS, rule_id="asked", action="ask").replace("'*'", "asked"),
    pre(ALWAYS, rule_id="denied").replace("'*'", "denied"),
)
LIMITS = st.fixed_dictionaries(
    {"max_attempts": st.integers(1, 9)},
    optional={
        "max_tool_calls": st.integers(1, 5),
        "max_calls_per_tool": st.dictionaries(
            st.sampled_from(["read", "write", "asked"]), st.integers(1, 3), min_size=1
        ),
    },
)
TOOLS = st.lists(st.sampled_from(["read", "read", "write", "asked", "denied"]), min_size=1)


class Granting:
    async def request_approval(self, *_: Any, **__: Any) -> ApprovalRequest:
        return ApprovalRequest(
            approval_id="1", tool_name="asked", tool_args={}, message="", timeout=9
        )

    async def wait_for_decision(self, *_: Any, **__: Any) -> ApprovalDecision:
        return ApprovalDecision(approved=True)


async def stopped_by_the_library(text: str, tools: list[str]) -> int | None:
    guard = edictum.Edictum.from_yaml_string(text, approval_backend=Granting())
    for number, tool in enumerate(tools, start=1):
        try:
            await guard.run(tool, {}, lambda: "done")
        except edictum.EdictumDenied as denied:
            if denied.reason != "no":  # message of the rule on the tool
                return number
    return None


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(LIMITS, TOOLS)
def test_a_session_test_stops_at_the_same_call_as_the_librarys_agent(limits, tools):
    rule = f"{{id: s, type: session, limits: {limits}, then: {{action: block, message: enough}}}}"
    text = document(*RULES, rule)
    number = asyncio.run(stopped_by_the_library(text, tools))
    calls = tuple(CaseCall(tool=tool) for tool in tools)
    ran = run_text(text, [Case("session", Stops(calls=calls, stopped_at=number))])
    assert (ran.why, ran.failing) == ("", 0), ran.results

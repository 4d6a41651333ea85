"""With random tools and gates, each call has exactly one outcome, and it is the expected one."""

import asyncio
import itertools
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clients.python.tests.executing import DAY_S, Clock
from clients.python.tests.receiver import Receiver
from edictum_site_client import Console
from edictum_site_client.executor import (
    BoundedExecutor,
    PermanentFailure,
    ToolCall,
    ToolSpec,
    TurnBudget,
    TurnState,
)
from edictum_site_client.outcomes import (
    TOOL_MESSAGE_MAX_CHARS,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolOutcome,
    ToolTimeout,
    outcome_blocks_tool,
    outcome_is_error,
    outcome_to_model_content,
)
from tests.journeys.console import KEY

KINDS = {
    ToolExecutionResult: "execution_result",
    ToolTimeout: "timeout",
    ToolFailure: "failure",
    ToolDenied: "denied",
    ToolArtifactReference: "artifact_reference",
}


class Unreadable:
    def __str__(self) -> str:
        raise RuntimeError("no text")


def around() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


# Tool behaviors, with the outcome type if the tool runs.
RETURNS: dict[str, tuple[Any, type[Any]]] = {
    "null": (None, ToolExecutionResult),
    "rows": ({"rows": [1, "é", None]}, ToolExecutionResult),
    "unreadable": (Unreadable(), ToolExecutionResult),
    "circular": (around(), ToolExecutionResult),
    "large": ("x" * 11_999, ToolArtifactReference),
    "error": ({"error": "no such user"}, ToolFailure),
    "error for good": ({"error": {"code": 404}, "retryable": False}, ToolFailure),
}
RAISES: dict[str, BaseException] = {
    "raises": ValueError("wrong"),
    "raises no text": type("Mute", (Exception,), {"__str__": lambda self: 1 / 0})(),
    "fails for good": PermanentFailure("gone"),
    "is cancelled": asyncio.CancelledError(),
    "raises StopIteration": StopIteration(),
}
HANGS = "hangs"
# Decisions of a hook, a validator or a person, including an exception and an unclear answer.
PASSES = ("yes", "later yes")
ANSWERS = (*PASSES, "no", "raises", "unclear")
VALIDATES = ("fine", "fine", "broken", "one repair", "many repairs", "raises")
MAX_REPAIRS = 2


@dataclass(frozen=True)
class Plan:
    """Drawn properties of a tool."""

    does: str
    is_async: bool
    idempotent: bool
    writes: bool
    retry_on_timeout: bool


@dataclass
class Turn:
    """Model of a turn: the rules of the gates without the executor."""

    expired: bool
    hook: str
    validates: str
    confirms: str
    blocked: set[str] = field(default_factory=set)
    succeeded: set[str] = field(default_factory=set)

    def expected(self, plan: Plan, call: ToolCall) -> str | type[Any]:
        """Reason if the call must be denied, else the type of its outcome."""
        if self.expired:
            return "deadline"
        if call.tool_name in self.blocked:
            return "blocked"
        if plan.idempotent and same(call) in self.succeeded:
            return "duplicate"
        if self.hook not in PASSES:
            return "pre_hook"
        if self.validates in ("broken", "many repairs", "raises"):
            return "validation"
        if plan.writes and self.confirms not in PASSES:
            return "write_denied"
        if plan.does == HANGS:
            return ToolTimeout
        return RETURNS[plan.does][1] if plan.does in RETURNS else ToolFailure

    def learn(self, outcome: ToolOutcome, call: ToolCall) -> None:
        if isinstance(outcome, ToolDenied):
            return
        if outcome_blocks_tool(outcome):
            self.blocked.add(call.tool_name)
        if not outcome_is_error(outcome):
            self.succeeded.add(same(call))


def same(call: ToolCall) -> str:
    return f"{call.tool_name} {json.dumps(call.arguments, sort_keys=True)}"


class Agent:
    """An executor with the tools and gates of one example, which counts runs of tools."""

    def __init__(self, console: Console, plans: list[Plan], turn: Turn) -> None:
        self.ran = 0
        self.over = threading.Event()
        self._turn = turn
        self.plans = {f"tool-{number}": plan for number, plan in enumerate(plans)}
        self.executor = BoundedExecutor(
            [self._spec(name, plan) for name, plan in self.plans.items()],
            console=console,
            deadline_s=DAY_S,
            on_pre_tool_use=lambda call: self._answered(turn.hook),
            validator=self._validated,
            repair=lambda arguments, problem, spec: {**arguments, "#": arguments.get("#", 0) + 1},
            max_repairs=MAX_REPAIRS,
            confirm_write=lambda call: self._answered(turn.confirms),
        )

    def _spec(self, name: str, plan: Plan) -> ToolSpec:
        def run(**arguments: Any) -> Any:
            self.ran += 1
            if plan.does in RAISES:
                raise RAISES[plan.does]
            return RETURNS[plan.does][0] if plan.does in RETURNS else self.over.wait(20)

        async def run_async(**arguments: Any) -> Any:
            if plan.does != HANGS:
                return run(**arguments)
            self.ran += 1
            return await asyncio.sleep(DAY_S)

        return ToolSpec(
            name,
            run_async if plan.is_async else run,
            deadline_s=0.005 if plan.does == HANGS else None,
            idempotent=plan.idempotent,
            writes=plan.writes,
            metadata={"retry_on_timeout": plan.retry_on_timeout},
        )

    def _answered(self, answer: str) -> Any:
        async def later() -> bool:
            await asyncio.sleep(0)
            return True

        match answer:
            case "later yes":
                return later()
            case "raises":
                raise PermissionError("no")
            case "unclear":
                return {"yes": 1}
            case _:
                return answer == "yes"

    def _validated(self, arguments: Any, spec: ToolSpec) -> str | None:
        repairs = arguments.get("#", 0)
        match self._turn.validates:
            case "raises":
                raise ValueError("broken")
            case "broken":
                return "broken"
            case "one repair":
                return None if repairs else "broken"
            case "many repairs":
                return None if repairs > MAX_REPAIRS else "broken"
            case _:
                return None


@pytest.fixture
def console(receiver: Receiver) -> Iterator[Console]:
    with Console(receiver.url, api_key=KEY) as console:
        yield console


numbers = itertools.count()
plans = st.lists(
    st.builds(
        Plan,
        st.sampled_from([*RETURNS, *RAISES, HANGS]),
        *[st.booleans()] * 4,
    ),
    min_size=1,
    max_size=3,
)
turns = st.builds(
    Turn,
    st.sampled_from([False] * 5 + [True]),
    st.sampled_from(PASSES * 4 + ANSWERS),
    st.sampled_from(VALIDATES),
    st.sampled_from(PASSES * 2 + ANSWERS),
)
picks = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([{}, {"n": 1}, {"n": [2]}])))


@settings(max_examples=150, suppress_health_check=list(HealthCheck), deadline=None)
@given(plans, turns, picks, st.booleans())
def test_each_call_has_exactly_one_outcome(receiver, console, plans, turn, picks, is_sync):
    receiver.items.clear()
    agent = Agent(console, plans, turn)
    clock = Clock()
    state = TurnState(TurnBudget(1.0, clock))
    clock.now = 1.0 if turn.expired else 0.0
    calls = [
        ToolCall(f"c-{next(numbers)}", f"tool-{pick % len(plans)}", dict(arguments))
        for pick, arguments in picks
    ]
    outcomes = []
    try:
        for call in calls:
            expected, ran = turn.expected(agent.plans[call.tool_name], call), agent.ran
            if is_sync:
                outcome = agent.executor.execute_sync(call, state)
            else:
                outcome = asyncio.run(agent.executor.execute(call, state))
            turn.learn(outcome, call)
            outcomes.append(outcome)
            assert isinstance(outcome, get_args(ToolOutcome))
            assert (outcome.call_id, outcome.tool_name) == (call.call_id, call.tool_name)
            got = outcome.reason if isinstance(outcome, ToolDenied) else type(outcome)
            assert got == expected
            assert agent.ran - ran == (0 if isinstance(outcome, ToolDenied) else 1)
            assert len(outcome_to_model_content(outcome)) <= TOOL_MESSAGE_MAX_CHARS
            assert state.blocked_tool_names == turn.blocked
    finally:
        agent.over.set()
    assert console.flush(60)
    recorded = [(item["call_id"], item["type"], item.get("reason")) for item in receiver.items]
    assert recorded == [
        (one.call_id, KINDS[type(one)], getattr(one, "reason", None)) for one in outcomes
    ]


@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(plans, turns, picks, st.integers(0, 3))
def test_a_call_that_is_cancelled_at_any_moment_is_recorded_once(
    receiver, console, plans, turn, picks, steps
):
    receiver.items.clear()
    agent = Agent(console, plans, turn)
    calls = [
        ToolCall(f"c-{next(numbers)}", f"tool-{pick % len(plans)}", dict(arguments))
        for pick, arguments in picks
    ]

    async def give_up() -> None:
        state = TurnState()
        tasks = [asyncio.create_task(agent.executor.execute(call, state)) for call in calls]
        for _ in range(steps + 1):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    try:
        asyncio.run(give_up())
    finally:
        agent.over.set()
    assert console.flush(60)
    recorded = [item["call_id"] for item in receiver.items]
    assert sorted(recorded) == sorted(call.call_id for call in calls)

"""Gates of the bounded executor: their order and reasons, and the state of a turn."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from clients.python.tests.executing import DAY_S, Clock, a_call, a_tool, execute
from edictum_site_client.executor import (
    BoundedExecutor,
    PermanentFailure,
    ReplayControl,
    ToolCall,
    ToolSpec,
    TurnBudget,
    TurnState,
)
from edictum_site_client.outcomes import (
    DENIAL_REASONS,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)

IN_ORDER = ["deadline", "blocked", "duplicate", "pre_hook", "validation", "write_denied"]


class Recorded(ReplayControl):
    """A replay control that records its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, str, Any, ToolSpec]] = []

    def record_success(self, name: str, arguments: Any, spec: ToolSpec) -> None:
        self.calls.append(("success", name, arguments, spec))
        super().record_success(name, arguments, spec)

    def record_failure(self, name: str, arguments: Any, spec: ToolSpec) -> None:
        self.calls.append(("failure", name, arguments, spec))
        super().record_failure(name, arguments, spec)


def the_reason(outcome: object) -> str:
    assert isinstance(outcome, ToolDenied)
    return outcome.reason


def closed(gates: Iterable[str]) -> tuple[BoundedExecutor, TurnState, list[int]]:
    """An executor and turn state in which the named gates deny a call, and a list of runs."""
    shut, ran = set(gates), list[int]()
    spec = a_tool(lambda: ran.append(1), idempotent=True, writes=True)
    clock = Clock()
    state = TurnState(TurnBudget(1.0, clock))
    if "deadline" in shut:
        clock.now = 1.0
    if "blocked" in shut:
        state.blocked_tool_names.add("query")
    if "duplicate" in shut:
        state.replay_control.record_success("query", {}, spec)
    executor = BoundedExecutor(
        [spec],
        on_pre_tool_use=lambda call: "pre_hook" not in shut,
        validator=lambda arguments, spec: "wrong" if "validation" in shut else None,
        confirm_write=lambda call: "write_denied" not in shut,
    )
    return executor, state, ran


@pytest.mark.parametrize("first", range(len(IN_ORDER)), ids=IN_ORDER)
def test_the_first_closed_gate_denies_the_call(first):
    executor, state, ran = closed(IN_ORDER[first:])
    assert the_reason(execute(executor, state=state)) == IN_ORDER[first]
    assert ran == []


def test_a_call_runs_when_every_gate_is_open():
    executor, state, ran = closed([])
    assert isinstance(execute(executor, state=state), ToolExecutionResult)
    assert ran == [1]
    assert set(IN_ORDER) == set(DENIAL_REASONS)


@pytest.mark.parametrize("reason", IN_ORDER)
def test_a_denied_call_leaves_the_state_as_it_was(reason):
    executor, state, _ = closed([reason])
    replay = state.replay_control = Recorded()
    if reason == "duplicate":
        ReplayControl.record_success(replay, "query", {}, a_tool(print))
    before = set(state.blocked_tool_names)
    assert the_reason(execute(executor, state=state)) == reason
    assert (replay.calls, state.blocked_tool_names) == ([], before)


def test_a_denial_skips_the_later_gates():
    request = list[str]()
    executor = BoundedExecutor(
        [a_tool(print, writes=True)],
        on_pre_tool_use=lambda call: request.append("hook"),
        validator=lambda arguments, spec: f"wrong, after {request}",
        confirm_write=lambda call: request.append("confirm"),
    )
    assert execute(executor) == ToolDenied("c-1", "query", "validation", "wrong, after ['hook']")
    assert request == ["hook"]


@pytest.mark.parametrize(
    ("answer", "details"),
    [
        (None, None),
        (True, None),
        (False, ""),
        ("no deletions today", "no deletions today"),
        (0, "Unclear answer: a int."),
        ({}, "Unclear answer: a dict."),
    ],
    ids=repr,
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_hook_lets_a_call_pass_or_says_why_not(answer, details, is_async):
    async def later(call):
        await asyncio.sleep(0)
        return answer

    hook = later if is_async else lambda call: answer
    outcome = execute(BoundedExecutor([a_tool(lambda: 7)], on_pre_tool_use=hook))
    if details is None:
        assert isinstance(outcome, ToolExecutionResult)
    else:
        assert outcome == ToolDenied("c-1", "query", "pre_hook", details)


def test_a_hook_that_raises_denies_the_call():
    def hook(call: ToolCall) -> None:
        raise PermissionError("not you")

    outcome = execute(BoundedExecutor([a_tool(print)], on_pre_tool_use=hook))
    assert outcome == ToolDenied("c-1", "query", "pre_hook", "PermissionError: not you")


def test_a_write_without_anyone_to_confirm_it_is_denied():
    assert the_reason(execute(BoundedExecutor([a_tool(print, writes=True)]))) == "write_denied"


def test_a_person_who_confirms_after_the_deadline_of_the_turn_is_too_late():
    clock = Clock()

    def confirm(call: ToolCall) -> bool:
        clock.now = DAY_S
        return True

    executor = BoundedExecutor([a_tool(print, writes=True)], confirm_write=confirm)
    outcome = execute(executor, state=TurnState(TurnBudget(60, clock)))
    assert the_reason(outcome) == "deadline"


@pytest.mark.parametrize("gate", ["on_pre_tool_use", "confirm_write"])
def test_no_gate_waits_longer_than_the_turn(gate):
    async def wait(call: ToolCall) -> bool:
        await asyncio.sleep(DAY_S)
        return True

    gates: dict[str, Any] = {gate: wait}
    executor = BoundedExecutor([a_tool(print, writes=True)], **gates)
    assert the_reason(execute(executor, state=TurnState(TurnBudget(0.01)))) == "deadline"


def test_an_unknown_tool_is_denied_by_validation():
    outcome = execute(BoundedExecutor([a_tool(print)]), a_call(tool_name="nonesuch"))
    assert outcome == ToolDenied(
        "c-1", "nonesuch", "validation", "There is no tool called 'nonesuch'."
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"x": 1}, "missing a required argument: 'y'."),
        ({"x": 1, "y": 2, "z": 3}, "got an unexpected keyword argument 'z'."),
        ("[1, 2]", "The arguments are not a JSON object."),
        ("{not json", "The arguments are not a JSON object."),
        (7, "The arguments are not a JSON object."),
        ({1: 2}, "keywords must be strings."),
    ],
    ids=repr,
)
def test_arguments_that_do_not_fit_are_denied(arguments, problem):
    executor = BoundedExecutor([a_tool(lambda x, y: x + y)])
    outcome = execute(executor, a_call(arguments))
    assert outcome == ToolDenied("c-1", "query", "validation", problem)


def test_arguments_may_be_the_json_text_of_the_model():
    executor = BoundedExecutor([a_tool(lambda x, y: x + y)])
    outcome = execute(executor, a_call('{"x": 1, "y": 2}'))
    assert isinstance(outcome, ToolExecutionResult)
    assert (outcome.output, outcome.was_coerced) == (3, False)


def only_numbers(arguments: Mapping[str, Any], spec: ToolSpec) -> str | None:
    return None if isinstance(arguments["n"], int) else f"n is {arguments['n']!r}"


def one_step(arguments: Any, problem: str, spec: ToolSpec) -> Any:
    text = arguments["n"]
    return {"n": int(text)} if len(text) == 1 else {"n": text[1:]}


def test_repaired_arguments_run_the_tool_and_are_marked():
    executor = BoundedExecutor(
        [a_tool(lambda n: n * 2)], validator=only_numbers, repair=one_step, max_repairs=2
    )
    outcome = execute(executor, a_call({"n": " 7"}))
    assert isinstance(outcome, ToolExecutionResult)
    assert (outcome.output, outcome.was_coerced) == (14, True)
    untouched = execute(executor, a_call({"n": 7}))
    assert isinstance(untouched, ToolExecutionResult)
    assert untouched.was_coerced is False


def test_repairs_are_bounded():
    executor = BoundedExecutor(
        [a_tool(lambda n: n)], validator=only_numbers, repair=one_step, max_repairs=2
    )
    outcome = execute(executor, a_call({"n": "   7"}))
    assert outcome == ToolDenied("c-1", "query", "validation", "n is ' 7'")


def test_a_repair_may_wait_and_may_fail():
    async def ask_the_model(arguments: Any, problem: str, spec: ToolSpec) -> Any:
        await asyncio.sleep(0)
        raise ConnectionError("model away")

    executor = BoundedExecutor([a_tool(lambda n: n)], validator=only_numbers, repair=ask_the_model)
    outcome = execute(executor, a_call({"n": "7"}))
    assert isinstance(outcome, ToolDenied)
    assert outcome.reason == "validation"
    assert "model away" in outcome.details


def test_a_validator_may_raise_what_is_wrong():
    def schema(arguments: Mapping[str, Any], spec: ToolSpec) -> None:
        raise ValueError("n must be a number")

    outcome = execute(BoundedExecutor([a_tool(print)], validator=schema))
    assert outcome == ToolDenied("c-1", "query", "validation", "ValueError: n must be a number")


def test_an_idempotent_tool_that_succeeded_does_not_run_again_with_equal_arguments():
    ran = list[int]()
    executor = BoundedExecutor([a_tool(lambda **about: ran.append(1), idempotent=True)])
    state = TurnState()
    assert isinstance(execute(executor, a_call({"a": 1, "b": [2]}), state), ToolExecutionResult)
    assert the_reason(execute(executor, a_call({"b": [2], "a": 1}), state)) == "duplicate"
    assert isinstance(execute(executor, a_call({"a": 2, "b": [2]}), state), ToolExecutionResult)
    assert isinstance(execute(executor, a_call({"a": 1, "b": [2]})), ToolExecutionResult)
    assert len(ran) == 3


def test_repaired_arguments_are_a_duplicate_by_what_the_model_wrote():
    executor = BoundedExecutor(
        [a_tool(lambda n: n, idempotent=True)], validator=only_numbers, repair=one_step
    )
    state = TurnState()
    execute(executor, a_call({"n": "7"}), state)
    assert the_reason(execute(executor, a_call({"n": "7"}), state)) == "duplicate"


def test_a_tool_that_is_not_idempotent_runs_again():
    ran = list[int]()
    executor, state = BoundedExecutor([a_tool(lambda: ran.append(1))]), TurnState()
    for _ in range(2):
        assert isinstance(execute(executor, state=state), ToolExecutionResult)
    assert ran == [1, 1]


def test_replay_control_learns_each_call_that_ran_by_its_arguments_as_they_came():
    def spoil(rows: list[int]) -> None:
        rows.append(7)
        if len(rows) > 2:
            raise ValueError("too many")

    spec = a_tool(spoil)
    state = TurnState(replay_control=(replay := Recorded()))
    executor = BoundedExecutor([spec])
    execute(executor, a_call({"rows": []}), state)
    execute(executor, a_call({"rows": [1, 2]}), state)
    assert replay.calls == [
        ("success", "query", {"rows": []}, spec),
        ("failure", "query", {"rows": [1, 2]}, spec),
    ]
    assert replay.succeeded("query", {"rows": []}, spec)
    assert replay.failed("query", {"rows": [1, 2]}, spec)


def test_a_tool_that_failed_for_good_is_blocked_for_the_turn():
    def fail() -> None:
        raise PermanentFailure("no such table")

    executor, state = BoundedExecutor([a_tool(fail)]), TurnState()
    outcome = execute(executor, state=state)
    assert isinstance(outcome, ToolFailure)
    assert (outcome.error, outcome.retryable) == ("PermanentFailure: no such table", False)
    assert state.blocked_tool_names == {"query"}
    assert the_reason(execute(executor, state=state)) == "blocked"
    assert isinstance(execute(executor), ToolFailure)


def test_a_tool_that_may_be_tried_again_is_not_blocked():
    executor, state = BoundedExecutor([a_tool(lambda: 1 / 0)]), TurnState()
    for _ in range(2):
        outcome = execute(executor, state=state)
        assert isinstance(outcome, ToolFailure)
        assert outcome.retryable
    assert state.blocked_tool_names == set()


@pytest.mark.parametrize("retry", [True, False, None])
def test_the_metadata_of_a_tool_say_whether_a_timeout_is_retryable(retry):
    async def wait() -> None:
        await asyncio.sleep(DAY_S)

    metadata = {} if retry is None else {"retry_on_timeout": retry}
    executor = BoundedExecutor([a_tool(wait, deadline_s=0.01, metadata=metadata)])
    state = TurnState()
    outcome = execute(executor, state=state)
    assert isinstance(outcome, ToolTimeout)
    assert (outcome.retryable, outcome.deadline_s) == (retry is not False, 0.01)
    assert state.blocked_tool_names == ({"query"} if retry is False else set())


def test_a_replay_control_that_raises_does_not_stop_the_agent():
    class Broken(ReplayControl):
        def succeeded(self, name: str, arguments: Any, spec: ToolSpec) -> bool:
            raise RuntimeError("broken")

        def record_success(self, name: str, arguments: Any, spec: ToolSpec) -> None:
            raise RuntimeError("broken")

    executor = BoundedExecutor([a_tool(lambda: 7, idempotent=True)])
    outcome = execute(executor, state=TurnState(replay_control=Broken()))
    assert isinstance(outcome, ToolExecutionResult)


def test_a_state_of_the_agents_own_needs_no_budget():
    class Own:
        blocked_tool_names: set[str] = set()
        replay_control = ReplayControl()

    def fail() -> None:
        raise PermanentFailure("gone")

    executor, state = BoundedExecutor([a_tool(fail)]), Own()
    assert isinstance(asyncio.run(executor.execute(a_call(), state)), ToolFailure)
    assert state.blocked_tool_names == {"query"}
    assert the_reason(asyncio.run(executor.execute(a_call(), state))) == "blocked"


@pytest.mark.parametrize(
    "tools",
    [
        [a_tool(print), a_tool(print)],
        [lambda: 7],
        [a_tool(print, deadline_s=0)],
        [ToolSpec("query", "no function")],  # type: ignore[arg-type]  # the mistake
    ],
    ids=["two of one name", "no name", "no time", "no function"],
)
def test_tools_that_cannot_be_called_are_refused_at_once(tools):
    with pytest.raises((TypeError, ValueError)):
        BoundedExecutor(tools)

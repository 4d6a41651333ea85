"""Runs a model's tool calls; each gets exactly one outcome, no matter how its tool behaves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from edictum_site_client.executor.artifacts import (
    ArtifactStore,
    ConsoleArtifacts,
    FolderArtifacts,
)
from edictum_site_client.executor.gates import (
    ConfirmWrite,
    Gates,
    Passage,
    PreToolUse,
    Repair,
    Validator,
    fits_signature,
)
from edictum_site_client.executor.results import Execution, Finished, Results
from edictum_site_client.executor.running import Ending, Raised, Returned, Run
from edictum_site_client.executor.sync_loop import run_sync
from edictum_site_client.executor.texts import exception_text
from edictum_site_client.executor.tools import ToolCall, Tools, ToolSpec, by_name
from edictum_site_client.executor.turn import State, budget_of
from edictum_site_client.outcomes import (
    TOOL_MESSAGE_MAX_CHARS,
    ToolDenied,
    ToolFailure,
    ToolOutcome,
    outcome_blocks_tool,
    outcome_is_error,
)

if TYPE_CHECKING:
    from edictum_site_client.console import Console

DEADLINE_S = 30.0
MAX_REPAIRS = 2

logger = logging.getLogger("edictum_site_client")


class BoundedExecutor:
    """Executor of tool calls. Turns and concurrent calls can share it."""

    def __init__(
        self,
        tools: Tools,
        *,
        console: Console | None = None,
        deadline_s: float = DEADLINE_S,
        on_pre_tool_use: PreToolUse | None = None,
        validator: Validator = fits_signature,
        repair: Repair | None = None,
        max_repairs: int = MAX_REPAIRS,
        confirm_write: ConfirmWrite | None = None,
        artifacts: ArtifactStore | None = None,
        max_chars: int = TOOL_MESSAGE_MAX_CHARS,
    ) -> None:
        if not deadline_s > 0:
            raise ValueError("deadline_s is not above 0.")
        self._tools = by_name(tools)
        self._console = console
        self._deadline_s = deadline_s
        self._gates = Gates(on_pre_tool_use, validator, repair, max_repairs, confirm_write)
        if artifacts is None:
            artifacts = FolderArtifacts() if console is None else ConsoleArtifacts(console)
        self.artifacts = artifacts
        judge = None if console is None else console.judged
        self._results = Results(artifacts, max_chars, judge)

    @property
    def tools(self) -> Mapping[str, ToolSpec]:
        return self._tools

    async def execute(self, call: ToolCall, state: State) -> ToolOutcome:
        """Run a call and return its outcome, after updating the turn's state and recording it.

        A tool's exceptions become outcomes, except those that end the process. A cancellation is
        recorded and then propagates.
        """
        if not isinstance(call.tool_name, str):
            call = replace(call, tool_name=f"[{type(call.tool_name).__name__}]")
        attempt = _Attempt(call, self._tools.get(call.tool_name), self._deadline_s)
        try:
            finished = await attempt.finished(self._gates, self._results, state)
        except BaseException as error:
            finished = attempt.interrupted(error, self._results)
            self._settle(attempt, finished, state)
            if not isinstance(error, Exception):
                raise
            logger.exception("The executor could not run a call")
        else:
            self._settle(attempt, finished, state)
            if isinstance(attempt.ending, Raised) and attempt.ending.ends_the_process:
                raise attempt.ending.error
        return finished.outcome

    def execute_sync(self, call: ToolCall, state: State) -> ToolOutcome:
        """Same as `execute`, for agents without an event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return run_sync(self.execute(call, state))
        raise RuntimeError("An event loop runs in this thread: await execute() instead.")

    def _settle(self, attempt: _Attempt, finished: Finished, state: State) -> None:
        try:
            _apply(finished.outcome, attempt.passage, state)
        except Exception:
            logger.exception("An outcome could not be applied to the turn's state")
        if self._console is not None:
            self._console.record(
                finished.outcome,
                arguments=attempt.passage.reported_arguments,
                idempotent=None if attempt.spec is None else attempt.spec.idempotent,
                tool_success=finished.tool_success,
                elapsed_ms=attempt.elapsed_ms,
                output_cut=finished.output_cut,
            )


def _apply(outcome: ToolOutcome, passage: Passage, state: State) -> None:
    if isinstance(outcome, ToolDenied) or passage.spec is None:
        return
    if outcome_blocks_tool(outcome):
        state.blocked_tool_names.add(outcome.tool_name)
    replay = state.replay_control
    record = replay.record_failure if outcome_is_error(outcome) else replay.record_success
    record(outcome.tool_name, passage.snapshot, passage.spec)


class _Attempt:
    """One call, from its gates to its outcome."""

    def __init__(self, call: ToolCall, spec: ToolSpec | None, deadline_s: float) -> None:
        self.spec = spec
        self.passage = Passage.of(call, spec)
        self._deadline_s = (
            deadline_s if spec is None or spec.deadline_s is None else spec.deadline_s
        )
        self._run: Run | None = None

    @property
    def ending(self) -> Ending | None:
        return None if self._run is None else self._run.ending

    @property
    def elapsed_ms(self) -> float | None:
        return None if self._run is None else round(self._run.elapsed_ms, 3)

    async def finished(self, gates: Gates, results: Results, state: State) -> Finished:
        denied = await gates.denial(self.passage, state)
        if denied is not None or self.spec is None:
            return Finished(denied or self.passage.denied(""))
        if (budget := budget_of(state)) is not None:
            self._deadline_s = min(self._deadline_s, round(budget.remaining_s, 3))
        self._run = Run(self.passage.call.call_id, self.spec.function, self.passage.arguments)
        ending = await self._run.within(self._deadline_s)
        if isinstance(ending, Returned):  # writing a large output takes time
            return await asyncio.to_thread(results.finished, ending, self._execution(self.spec))
        return results.finished(ending, self._execution(self.spec))

    def interrupted(self, error: BaseException, results: Results) -> Finished:
        """Outcome of a call that was cancelled or caused an error in the executor."""
        why = exception_text(error)
        if self._run is None or self.spec is None:
            return Finished(self.passage.denied(why))
        if self._run.ending is not None:
            with suppress(Exception):
                return results.finished(self._run.ending, self._execution(self.spec))
        call = self.passage.call
        return Finished(ToolFailure(call.call_id, call.tool_name, why, elapsed_ms=self.elapsed_ms))

    def _execution(self, spec: ToolSpec) -> Execution:
        return Execution(
            self.passage.call.call_id,
            spec.name,
            self.elapsed_ms or 0.0,
            self._deadline_s,
            self.passage.was_coerced,
            spec.retry_on_timeout,
        )

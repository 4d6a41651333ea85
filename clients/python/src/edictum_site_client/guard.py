"""Success check and audit sink for an edictum guard."""

from __future__ import annotations

import logging
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from edictum_site_client.checks import SuccessCheck, edictums_own
from edictum_site_client.items import NotReported, Raised, Returned, What
from edictum_site_client.matching import Execution, Matching, guard_behind, returned_an_error
from edictum_site_client.named_checks import judged_by
from edictum_site_client.sdk_events import about_call, action_of

if TYPE_CHECKING:
    from edictum_site_client.console import Console

logger = logging.getLogger("edictum_site_client")

_BEFORE = (
    "call_allowed call_would_deny call_would_block call_approval_requested call_asked"
    " call_approval_granted call_approval_timeout"
)
_REFUSED = "call_denied call_blocked call_approval_denied call_approval_blocked"
BEFORE = frozenset(_BEFORE.split())
REFUSED = frozenset(_REFUSED.split())
EXECUTED = frozenset(("call_executed", "call_failed"))


class GuardSink:
    """Audit sink that sends SDK events and, per execution, an outcome with what they lack."""

    def __init__(self, console: Console, check: SuccessCheck | None = None) -> None:
        self._console = console
        self._check = check
        self._matching = Matching()

    def success_check(self, tool_name: str, result: Any) -> bool:
        asking = sys._getframe(1)
        self._matching.returned(tool_name, result, asking)
        if returned_an_error(tool_name, result):
            return False
        check = self._check or self._console.success_check
        if check is None:
            return edictums_own(tool_name, result, asking)
        return bool(check(tool_name, result))

    async def emit(self, event: Any) -> None:
        try:
            self._take(event, sys._getframe(1))
        except Exception:
            logger.exception("Edictum Site: fields of an event could not be queued")

    async def flush(self) -> None:
        await self._console.aflush(self._console.exit_timeout)

    async def close(self) -> None:
        """Flush when a guard closes. Other guards may share the console, so it stays open."""
        await self.flush()

    def _take(self, event: Any, asking: FrameType | None) -> None:
        action, call_id = action_of(event), str(event.call_id)
        if action in BEFORE:
            self._hook_into(guard_behind(asking))
        execution = self._matched(event, action, call_id)
        self._console.keep_event(event)
        if execution is not None and execution.what is not None:
            self._keep(event, execution, self._check_of(guard_behind(asking)))
        if action in BEFORE:  # last, so that queueing time isn't counted as the tool's
            self._matching.opened(call_id, event.tool_name)

    def _hook_into(self, guard: Any) -> None:
        if guard is None or not self._matching.hook_into(guard):
            return
        # Since 0.15 a guard closes its composite sink, which would not close its members.
        sinks = getattr(guard, "audit_sink", None)
        if sinks is not None and not hasattr(sinks, "close"):
            sinks.close = self.close

    def _matched(self, event: Any, action: str, call_id: str) -> Execution | None:
        if action in REFUSED:
            self._matching.refused(call_id)
        if action not in EXECUTED:
            return None
        success = getattr(event, "tool_success", None)
        if success is None:
            success = action == "call_executed"
        reason = getattr(event, "error", None) or getattr(event, "reason", None) or ""
        return self._matching.executed(
            call_id, event.tool_name, success=bool(success), reason=str(reason)
        )

    def _check_of(self, guard: Any) -> SuccessCheck | None:
        """Success check that applies. A guard with this sink may use its own check, or none."""
        given: SuccessCheck | None = getattr(guard, "_success_check", self.success_check)
        return self._check or self._console.success_check if given == self.success_check else given

    def _keep(self, event: Any, execution: Execution, check: SuccessCheck | None) -> None:
        about = about_call(event, self._console)
        about["metadata"] = judged_by(check)
        what: What = execution.what or NotReported()
        flagged = getattr(event, "postconditions_passed", None) is False
        if isinstance(what, Returned) and flagged and not self._console.masking.flagged_outputs:
            why = "a rule of the contract objected to it"
            what = NotReported() if what.error is None else Raised(f"Withheld: {why}")
            about["metadata"] |= {"output_withheld": why}
        self._console.keep_outcome(
            what,
            about,
            elapsed_ms=execution.elapsed_ms,
            deadline_s=execution.deadline_s,
            retryable=execution.retryable,
        )

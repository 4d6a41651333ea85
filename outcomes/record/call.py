"""Tool call, folded from everything that was reported about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.core.json_value import Json
from governance.core.verdict import Verdict
from outcomes.record.event import Event
from outcomes.record.outcome import Outcome, ToolDenied

_REPEATABLE = frozenset({"pure", "read"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Folded call: its strongest event completed by the others, plus what all events together say.

    `outcome` is None while the call is open.
    """

    account: Event
    outcome: Outcome | None
    at: datetime
    order: int
    reported: Verdict | None
    elapsed_ms: float | None
    from_sdk: bool
    approval_requested: bool = False
    would_block: bool = False
    conflict: bool = False
    lost_arguments: bool = False  # retention removed the arguments of an event

    @property
    def call_id(self) -> str:
        return self.account.call_id

    @property
    def tool_name(self) -> str:
        return self.account.tool_name

    @property
    def agent_id(self) -> str:
        return self.account.agent_id

    @property
    def session_id(self) -> str | None:
        return self.account.session_id

    @property
    def turn_id(self) -> str | None:
        return self.account.turn_id

    @property
    def call_index(self) -> int | None:
        return self.account.call_index

    @property
    def tool_args(self) -> Json:
        return self.account.tool_args

    @property
    def principal(self) -> dict[str, Any] | None:
        return self.account.principal

    @property
    def rule(self) -> str | None:
        return self.account.rule

    @property
    def idempotent(self) -> bool:
        flag = self.account.idempotent
        return self.account.side_effect in _REPEATABLE if flag is None else flag

    @property
    def policy_version(self) -> str | None:
        return self.account.policy_version

    @property
    def bundle_name(self) -> str | None:
        return self.account.bundle_name

    @property
    def parent_call_id(self) -> str | None:
        return self.account.parent_call_id

    @property
    def parent_session_id(self) -> str | None:
        return self.account.parent_session_id

    @property
    def reported_environment(self) -> str | None:
        return self.account.reported_environment

    @property
    def metadata(self) -> dict[str, Any] | None:
        return self.account.metadata

    @property
    def ran(self) -> bool:
        """Only a call that ran has a verdict."""
        return self.outcome is not None and not isinstance(self.outcome, ToolDenied)

"""Audit sink of a simulated agent: the SDK's events, with timestamps from the simulated clock."""

import random
import uuid
from typing import Any

from edictum_site.demo.clock import Clock
from edictum_site.demo.outbox import Outbox

# Names that the SDK's server sink sends.
ON_THE_WIRE = {
    "call_denied": "call_blocked",
    "call_would_deny": "call_would_block",
    "call_approval_requested": "call_asked",
    "call_approval_denied": "call_approval_blocked",
}
_FIELD_NAMES = (
    "schema_version tool_name tool_args side_effect environment principal decision_source"
    " decision_name reason hooks_evaluated mode policy_version run_id session_id call_index"
    " tool_success postconditions_passed session_attempt_count session_execution_count policy_error"
)
FIELDS = _FIELD_NAMES.split()


class ShiftingSink:
    def __init__(self, outbox: Outbox, agent: str, clock: Clock, chance: random.Random) -> None:
        self._outbox, self._agent, self._clock, self._chance = outbox, agent, clock, chance
        self._ids: dict[str, str] = {}
        self.parent_session = ""
        self.retry_of = ""
        self.last: dict[str, Any] = {}

    async def emit(self, event: Any) -> None:
        action = str(event.action.value)
        fields = {name: getattr(event, name) for name in FIELDS}
        fields |= {
            "action": ON_THE_WIRE.get(action, action),
            "call_id": self._id_of(event.call_id),
            "agent_id": self._agent,
            "timestamp": self._clock.iso_time(),
            "rules_evaluated": event.contracts_evaluated,
            "parent_session_id": self.parent_session or None,
            "parent_call_id": self.retry_of or None,
            "duration_ms": 0,  # the SDK doesn't measure it and also sends 0
        }
        self.last = fields
        self._outbox.put("events", fields)

    def _id_of(self, call: str) -> str:
        """Call id drawn from the seed for reproducible runs; the SDK's own ids are random."""
        if call not in self._ids:
            self._ids.clear()
            self._ids[call] = str(uuid.UUID(int=self._chance.getrandbits(128), version=4))
        return self._ids[call]

"""Columns that reclassifying a call reads."""

from datetime import datetime
from typing import Final, NamedTuple

RAN: Final = frozenset(["execution_result", "artifact_reference", "timeout", "failure"])


class Row(NamedTuple):
    """A call to be reclassified, its fields in the order of COLUMNS."""

    id: int
    session: int | None
    at: datetime
    call_index: int
    order: int
    environment: int
    call_id: str
    agent: str
    tool: str
    kind: str
    verdict: str
    decided_by: str
    reported: str
    classified: str
    reason: str
    rule: str
    from_sdk: bool
    version: int | None
    elapsed_ms: float | None
    artifact_name: str
    check_name: str
    check_version: int | None
    check_rule: str
    check_value: str
    agent_number: int
    tool_number: int

    @property
    def ran(self) -> bool:
        return self.kind in RAN


_COLUMN_OF: Final = {
    "agent": "agent__name",
    "tool": "tool__name",
    "agent_number": "agent_id",
    "tool_number": "tool_id",
}


COLUMNS: Final = tuple(_COLUMN_OF.get(name, name) for name in Row._fields)

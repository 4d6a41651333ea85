"""Summary of a call, for charts and overviews of a session."""

from datetime import datetime
from typing import NamedTuple

from outcomes.record.outcome import ToolDenied


class BriefCall(NamedTuple):
    """Call from its columns, without arguments and output."""

    id: int
    call_id: str
    at: datetime
    turn_id: str
    kind: str
    reason: str
    detail: str
    rule: str
    tool: str
    verdict: str
    reported: str
    elapsed_ms: float | None
    idempotent: bool
    blocks_tool: bool
    arguments: bytes | None
    artifact_name: str
    artifact_sha256: str | None
    artifact_bytes: int | None
    from_sdk: bool = False
    classified: str = ""  # verdict of a check; empty if no check ran
    check_name: str = ""
    check_rule: str = ""  # rule that decided
    group_digest: bytes | None = None  # of the group of similar failures or denials
    group_text: str | None = None  # text of that group, secrets masked

    @property
    def ran(self) -> bool:
        return self.kind not in ("", ToolDenied.kind)

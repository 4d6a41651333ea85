"""Calls in the form in which the session page reads them."""

from datetime import UTC, datetime, timedelta
from itertools import count

from outcomes.record.brief_call import BriefCall

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
numbers = count(1)


def a_brief(kind: str = "execution_result", **fields) -> BriefCall:
    number = next(numbers)
    ran = kind not in ("", "denied")
    plain = BriefCall(
        id=number,
        call_id=f"c-{number}",
        at=NOON + timedelta(seconds=number),
        turn_id="t-1",
        kind=kind,
        reason="contract" if kind == "denied" else "",
        detail="",
        rule="",
        tool="query",
        verdict="success" if ran else "",
        reported="",
        elapsed_ms=10.0 if ran else None,
        idempotent=True,
        blocks_tool=False,
        arguments=number.to_bytes(16),
        artifact_name="",
        artifact_sha256=None,
        artifact_bytes=None,
    )
    return plain._replace(**fields)

"""Sample values for the component gallery, identical on each visit so that designs compare."""

import math
from datetime import UTC, datetime, timedelta

from outcomes.record.brief_call import BriefCall

NOW = datetime(2026, 11, 18, 3, 0, tzinfo=UTC)


def wave(step: int, low: float, high: float, period: float = 24) -> float:
    """Sample value of a daily wave between low and high, with some noise."""
    slow = math.sin(2 * math.pi * (step - period / 4) / period)
    quick = math.sin(step * 12.9898) * math.sin(step * 4.1414)
    return low + (high - low) * (0.5 + 0.42 * slow + 0.08 * quick)


def counts(steps: int, low: float, high: float) -> list[int]:
    return [
        max(0, round(wave(step, low, high, 24 if steps < 1_000 else 2_000)))
        for step in range(steps)
    ]


def edges(steps: int, step: timedelta) -> list[datetime]:
    return [NOW - step * (steps - place) for place in range(steps + 1)]


def calls(number: int, per_turn: int = 13) -> list[BriefCall]:
    """Calls of a session, mostly successful, so that other outcomes stand out in its strip."""
    rarer = 1 if number < 1_000 else 15
    return [_call(place, per_turn, rarer) for place in range(number)]


def _call(place: int, per_turn: int, rarer: int) -> BriefCall:
    kind, verdict, reported, reason = "execution_result", "success", "success", ""
    took = 20 + 180 * abs(math.sin(place * 7.77))
    if place % (29 * rarer) == 11:
        kind, verdict, reported, took = "timeout", "failure", "failure", 10_000.0
    elif place % (37 * rarer) == 20:
        kind, verdict, reported = "failure", "failure", "failure"
    elif place % (17 * rarer) == 9:
        verdict = "failure"
    elif place % (41 * rarer) == 30:
        verdict = "unknown"
    elif place % (23 * rarer) == 0:
        kind, took = "artifact_reference", 2_800.0
    elif place % (11 * rarer) == 7:
        kind, verdict, reported, reason, took = "denied", "", "", "contract", 0.0
    return BriefCall(
        id=place + 1,
        call_id=f"c-{place + 1}",
        at=NOW - timedelta(hours=1) + timedelta(seconds=13 * place + 40 * math.sin(place)),
        turn_id=f"t-{place // per_turn + 1}",
        kind=kind,
        reason=reason,
        detail="",
        rule="",
        tool=("crm_update", "ledger_read", "http_get", "payments_charge")[place % 4],
        verdict=verdict,
        reported=reported,
        elapsed_ms=took or None,
        idempotent=False,
        blocks_tool=False,
        arguments=None,
        artifact_name="",
        artifact_sha256=None,
        artifact_bytes=None,
    )

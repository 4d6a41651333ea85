"""Limits as bars: every count on one scale, and what their difference cost."""

from typing import Any

from governance.contracts.domain.limit_use import LimitJudgement, LimitUse
from governance.core.figures import counted
from outcomes.sessions.domain.limit_lines import hit_at

RULINGS = {
    LimitJudgement.PREMATURE: "Hit early",
    LimitJudgement.DELAYED: "Hit late",
    LimitJudgement.RIGHT: "As intended",
}
COUNTINGS = (
    ("attempts", "attempts"),
    ("executions", "executions"),
    ("reported", "reported successes"),
    ("classified", "verified successes"),
)


def limit_bars(limits: list[LimitUse]) -> list[dict[str, Any]]:
    return [_bar(use) for use in sorted_uses(limits)]


def sorted_uses(limits: list[LimitUse]) -> list[LimitUse]:
    """Hit or reached ones first, and those of a contract before SDK defaults."""
    return sorted(limits, key=lambda use: (_weight(use), use.limit.assumed))


def key_of(use: LimitUse) -> str:
    """As a URL names it."""
    limit = use.limit
    return f"{limit.kind}:{limit.tool}" if limit.tool else limit.kind


def _weight(use: LimitUse) -> int:
    if use.stopped_at is not None:
        return 0
    return 1 if was_reached(use) else 2


def was_reached(use: LimitUse) -> bool:
    return any(number is not None for number in use.reached_at.values())


def _bar(use: LimitUse) -> dict[str, Any]:
    ruling = RULINGS[use.judgement] if use.judgement else ""
    first = next(iter(use.used))
    is_unchecked = bool(use.used.get("executions")) and not use.checked
    return {
        "key": key_of(use),
        "name": use.limit.tool or use.limit.kind,
        "limit": use.limit.value,
        "assumed": use.limit.assumed,
        "scale": max(use.limit.value, *use.used.values()),
        "state": _state(use),
        "rows": [
            {
                "style": style,
                "words": words,
                "count": use.used[style],
                "reached_at": use.reached_at[style],
            }
            for style, words in COUNTINGS
            if use.used.get(style) or (style in use.used and style == first)
        ],
        "ruling": ruling or ("Not checked" if is_unchecked else ""),
        "says": _says(use),
        "quirk": _quirk(use),
    }


def _state(use: LimitUse) -> str:
    if use.stopped_at is not None:
        return f"hit at call {hit_at(use):,}"
    return "reached" if was_reached(use) else "not reached"


def _says(use: LimitUse) -> str:
    if "attempts" in use.used:
        return "Counts denied calls too."
    executions, successes = use.used["executions"], use.used["classified"]
    by_execution, by_success = use.reached_at["executions"], use.reached_at["classified"]
    value = use.limit.value
    if not use.checked:
        return "No counted call was checked." if executions else "No executions yet."
    if use.judgement == LimitJudgement.PREMATURE:
        left = counted(value - successes, "call")
        were = "was" if value - successes == 1 else "were"
        reached = f"Executions reached {value:,} at call {by_execution:,}. " if by_execution else ""
        return f"{reached}By successes, {left} {were} left."
    if use.judgement == LimitJudgement.DELAYED:
        return f"Success {value:,} was call {by_success:,}, and later calls still ran."
    if by_execution is not None and by_execution == by_success:
        return f"Executions and successes reached {value:,} at call {by_execution:,}."
    if executions == successes:
        return "Executions and successes agree."
    return f"{executions - successes:,} of {counted(executions, 'execution')} did not succeed."


def _quirk(use: LimitUse) -> str:
    if "attempts" in use.used:
        return f"The agent allows {use.limit.value - 1:,}, not {use.limit.value:,}."
    return "SDK default, whatever the contract says." if use.limit.assumed else ""

"""Limits as their bars show them: the countings on one scale, and what their difference cost."""

from typing import Any

from governance.contracts.domain.limit_use import LimitJudgement, LimitUse

RULINGS = {
    LimitJudgement.PREMATURE: "Too early",
    LimitJudgement.DELAYED: "Too late",
    LimitJudgement.RIGHT: "As intended",
}
COUNTINGS = (
    ("attempts", "attempts"),
    ("executions", "executions"),
    ("reported", "successes as reported"),
    ("classified", "successes as checked"),
)


def limit_bars(limits: list[LimitUse]) -> list[dict[str, Any]]:
    return [_bar(use) for use in sorted_uses(limits)]


def sorted_uses(limits: list[LimitUse]) -> list[LimitUse]:
    """Those that stopped the agent or were reached come first, and what somebody wrote before what
    is assumed."""
    return sorted(limits, key=lambda use: (_weight(use), use.limit.assumed))


def key_of(use: LimitUse) -> str:
    """As a URL names it."""
    limit = use.limit
    return f"{limit.kind}:{limit.tool}" if limit.tool else limit.kind


def _weight(use: LimitUse) -> int:
    if use.stopped_at is not None:
        return 0
    return 1 if _was_reached(use) else 2


def _was_reached(use: LimitUse) -> bool:
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
        return f"stopped call {use.stopped_at:,}"
    return "reached" if _was_reached(use) else "not reached"


def _says(use: LimitUse) -> str:
    if "attempts" in use.used:
        return "Counts denied calls too."
    executions, successes = use.used["executions"], use.used["classified"]
    by_execution, by_success = use.reached_at["executions"], use.reached_at["classified"]
    if not use.checked:
        return "No counted call was judged by a check." if executions else "No execution yet."
    if use.judgement == LimitJudgement.PREMATURE:
        reached = (
            f"Reached at call {by_execution:,} counting executions. "
            if by_execution is not None
            else ""
        )
        left = use.limit.value - successes
        return f"{reached}Counting successes {left:,} {'was' if left == 1 else 'were'} left."
    if use.judgement == LimitJudgement.DELAYED:
        return f"Counting successes it was reached at call {by_success:,}; executions went on."
    if by_execution is not None and by_execution == by_success:
        return f"Executions and successes reach it at the same call, {by_execution:,}."
    if executions == successes:
        return "All countings agree."
    missing = executions - successes
    verb = "was no success" if missing == 1 else "were no successes"
    return f"{missing:,} of its {executions:,} executions {verb}."


def _quirk(use: LimitUse) -> str:
    if "attempts" in use.used:
        return f"The agent lets {use.limit.value - 1:,} pass, not {use.limit.value:,}."
    return "The SDK's own, whatever the contract says." if use.limit.assumed else ""

"""Sentences about backtests: status, calls covered, and what would change."""

from collections.abc import Iterator
from typing import Any, Final

from governance.core.figures import counted
from outcomes.backtesting.queries import scope_words
from outcomes.models import Backtest
from outcomes.recorded_calls.queries import ChangedFilter

LONGEST: Final = 90  # characters of a headline
NAMES: Final = {
    "newly_denied": "Newly denied",
    "newly_allowed": "Newly allowed",
    "newly_asking": "Now needs approval",
    "changed": "Other change",
    "undetermined": "Undetermined",
    "unchanged": "Unchanged",
}
_LIMITS: Final = {
    "max_attempts": "attempts",
    "max_tool_calls": "executions",
    "max_calls_per_tool": "executions of",
}
_MISSING: Final = {"output": "output not stored", "arguments": "arguments not reported"}
_NOT_REPLAYED: Final = {
    "evaluation_limit": "evaluation limit reached",
    "invalid_call": "rejected by the SDK",
    "payload_removed": "rules read arguments or outputs that retention removed",
    "unknown": "denied for an unknown reason",
}


def backtest_context(backtest: Backtest) -> dict[str, Any]:
    """Template context for every page of a backtest."""
    return {
        "backtest": backtest,
        "sentence": sentence(backtest),
        "scope": scope_words(backtest),
        "of_what": version_words(backtest),
        "has_calls": has_calls(backtest),
        "figures": [(name, words, getattr(backtest, name)) for name, words in NAMES.items()],
    }


def has_calls(backtest: Backtest) -> bool:
    """Whether the calls that would change were stored individually."""
    return bool(backtest.result.get("kept"))


def sentence(backtest: Backtest) -> str:
    """The headline of a backtest."""
    match backtest.status:
        case Backtest.Status.QUEUED:
            return "Backtest queued"
        case Backtest.Status.RUNNING:
            if not backtest.passed:
                return "Reading the first calls"
            first = next(iter(_changes(backtest)), "No change so far")
            return f"{int(backtest.progress * 100)} % read: {first}"
        case Backtest.Status.CANCELLED:
            return f"Cancelled after {backtest.passed:,} of {backtest.total:,} calls"
        case Backtest.Status.FAILED:
            return "This backtest failed"
        case _:
            return _result(backtest)


def _result(backtest: Backtest) -> str:
    if not backtest.calls:
        return "No calls to replay"
    changes = list(_changes(backtest)) or [f"No change for {counted(backtest.calls, 'call')}"]
    doubt = ""
    if backtest.undetermined:
        doubt = f", {counted(backtest.undetermined, 'later call')} could not be evaluated"
    for number in range(len(changes), 0, -1):
        headline = f"{', '.join(changes[:number])}{doubt}"
        if len(headline) <= LONGEST:
            return headline
    return changes[0]


def _changes(backtest: Backtest) -> Iterator[str]:
    """Phrases such as `2 of 40 calls would be newly denied`, worst first. A call newly denied by a
    limit is counted as its session: there is one per session."""
    limits = backtest.result.get("session_limits", {})
    earlier, newly = limits.get("earlier_sessions", 0), limits.get("newly_stopped_sessions", 0)
    denied = backtest.newly_denied - earlier - newly
    if denied:
        calls = "call" if backtest.calls == 1 else "calls"
        yield f"{denied:,} of {backtest.calls:,} {calls} would be newly denied"
    if earlier:
        yield f"{counted(earlier, 'session')} would hit the limit earlier"
    if newly:
        yield f"{counted(newly, 'session')} would newly hit the limit"
    if backtest.newly_asking:
        yield f"{counted(backtest.newly_asking, 'call')} would need approval"
    if later := limits.get("later_sessions", 0):
        yield f"{counted(later, 'session')} would hit the limit later or never"
    if backtest.newly_allowed:
        yield f"{counted(backtest.newly_allowed, 'call')} would be newly allowed"
    if backtest.changed:
        yield f"{counted(backtest.changed, 'call')} would change in another way"


def changed_sentence(number: int, filters: ChangedFilter) -> str:
    """Headline such as "Newly denied: 5 calls of the tool `shell`"."""
    named = {"rule": filters.rule, "tool": filters.tool, "agent": filters.agent}
    named["session"] = filters.session
    groups = "".join(f" of the {kind} `{name}`" for kind, name in named.items() if name)
    change = NAMES.get(filters.change, "Drift") if filters.change else "Changed"
    return f"{change}: {counted(number, 'call')}{groups}"


def version_words(backtest: Backtest) -> str:
    if backtest.version is not None:
        return f"v{backtest.version.number}"
    if backtest.base is not None:
        return f"v{backtest.base} with {backtest.change}"
    return "an unsaved draft"


def limit_name(limit: dict[str, Any]) -> str:
    words = f"{limit['value']:,} {_LIMITS.get(limit['limit'], limit['limit'])}"
    return f"{words} {limit['tool']}" if limit["tool"] else words


def limits_sentence(limits: dict[str, Any]) -> str:
    """Sentences on how many sessions hit a limit as recorded and in the replay."""
    sessions, stopped = limits.get("sessions", 0), limits.get("stopped_sessions", 0)
    if not sessions:
        return "No sessions replayed."
    recorded = f"{stopped:,} of {counted(sessions, 'session')} hit a limit as recorded."
    if "earlier_sessions" not in limits:  # stored by an older release
        return recorded
    return (
        f"{recorded} In the replay: {limits['earlier_sessions']:,} earlier,"
        f" {limits['newly_stopped_sessions']:,} newly, {limits['later_sessions']:,} later or never."
    )


def missing_sentences(missing: dict[str, dict[str, int]]) -> Iterator[tuple[str, str]]:
    """Rules, each with a field that it reads and that calls lack."""
    for rule, lacks in sorted(missing.items()):
        for what, calls in sorted(lacks.items(), key=lambda lack: (-lack[1], lack[0])):
            yield rule, f"{_MISSING.get(what) or _unknown(what)} ({counted(calls, 'call')})"


def not_replayed_sentences(left_out: dict[str, int]) -> Iterator[tuple[str, int]]:
    for reason, calls in sorted(left_out.items(), key=lambda reason: (-reason[1], reason[0])):
        yield _NOT_REPLAYED.get(reason, f"denied for the reason `{reason}`"), calls


def undetermined_sentence(backtest: Backtest) -> str:
    if not backtest.undetermined:
        return ""
    return (
        f"Undetermined: {counted(backtest.undetermined, 'call')} after a newly denied call of the"
        " same session. What a limit decides there depends on what the agent would have done."
    )


def _unknown(selector: str) -> str:
    if selector.startswith("args."):
        return f"`{selector}` masked or cut before it was stored"
    return f"`{selector}` known only in the agent"

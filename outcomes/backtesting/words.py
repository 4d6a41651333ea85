"""What a backtest says in sentences: how it stands, over which calls, and what limits would do."""

from collections.abc import Iterator
from typing import Any, Final

from outcomes.backtesting.queries import scope_words
from outcomes.models import Backtest
from outcomes.recorded_calls.queries import ChangedFilter
from outcomes.web.sentences import counted

NAMES: Final = {
    "newly_denied": "Newly denied",
    "newly_allowed": "Newly allowed",
    "newly_asking": "Newly asking",
    "changed": "Otherwise changed",
    "undetermined": "Undetermined",
    "unchanged": "Unchanged",
}
_CHANGED: Final = {  # one call, several
    "newly_denied": ("would be newly denied", "would be newly denied"),
    "newly_allowed": ("would be newly allowed", "would be newly allowed"),
    "newly_asking": ("would be newly asked about", "would be newly asked about"),
    "changed": ("would be otherwise changed", "would be otherwise changed"),
    "undetermined": ("is undetermined", "are undetermined"),
    "drift": ("drifts", "drift"),
}
_LIMITS: Final = {
    "max_attempts": "attempts",
    "max_tool_calls": "executions",
    "max_calls_per_tool": "executions of",
}
_MISSING: Final = {
    "output": "the output was not kept",
    "arguments": "the arguments were not reported",
}
_NOT_REPLAYED: Final = {
    "evaluation_limit": "asking about it cost too much",
    "invalid_call": "the library takes no such call",
    "unknown": "denied for an unknown reason",
}


def told(backtest: Backtest) -> dict[str, Any]:
    """What every page says of one: how it stands, of what, over which calls, and its figures."""
    return {
        "backtest": backtest,
        "sentence": sentence(backtest),
        "scope": scope_words(backtest),
        "of_what": of_what(backtest),
        "has_calls": has_calls(backtest),
        "figures": [(name, words, getattr(backtest, name)) for name, words in NAMES.items()],
    }


def has_calls(backtest: Backtest) -> bool:
    """Whether those that would change were kept one by one when it ended."""
    return bool(backtest.result.get("kept"))


def sentence(backtest: Backtest) -> str:
    """The heading of its page: what comes out, or how far it is."""
    match backtest.status:
        case Backtest.Status.QUEUED:
            return "This backtest waits for its turn."
        case Backtest.Status.RUNNING:
            if not backtest.passed:
                return "The first calls are being read."
            return f"{int(backtest.progress * 100)} % read: {_found(backtest)}."
        case Backtest.Status.CANCELLED:
            return f"Cancelled after {backtest.passed:,} of {backtest.total:,} calls."
        case Backtest.Status.FAILED:
            return "This backtest did not get to its end."
        case _:
            return _result(backtest)


def _result(backtest: Backtest) -> str:
    calls = backtest.calls
    if not calls:
        return "There was no call to replay."
    if backtest.unchanged == calls:
        return f"Nothing would change for {_calls(calls)}."
    return f"Of {_calls(calls)}, {_found(backtest)}."


def _found(backtest: Backtest) -> str:
    """37 would be newly denied, 112 newly allowed and 9 newly asked about."""
    first, *rest = [
        f"{number:,} would be {words}" if not place else f"{number:,} {words}"
        for place, (number, words) in enumerate(_numbers(backtest))
    ]
    if not rest:
        return first
    return f"{', '.join([first, *rest[:-1]])} and {rest[-1]}"


def _numbers(backtest: Backtest) -> list[tuple[int, str]]:
    told = [
        (backtest.newly_denied, "newly denied"),
        (backtest.newly_allowed, "newly allowed"),
        (backtest.newly_asking, "newly asked about"),
        (backtest.changed, "otherwise changed"),
    ]
    return [(number, words) for number, words in told if number] or told[:1]


def changed_sentence(number: int, wanted: ChangedFilter) -> str:
    """The heading of a list: how many, of what, and what would become of them."""
    calls = "No call" if not number else _calls(number).capitalize()
    named = {"rule": wanted.rule, "tool": wanted.tool, "agent": wanted.agent}
    named["session"] = wanted.session
    groups = "".join(f" of the {kind} `{name}`" for kind, name in named.items() if name)
    words = _CHANGED.get(wanted.change, ("would change", "would change"))[number != 1]
    return f"{calls}{groups} {words}."


def of_what(backtest: Backtest) -> str:
    if backtest.version is not None:
        return f"v{backtest.version.number}"
    return "a text that was not saved"


def limit_name(limit: dict[str, Any]) -> str:
    words = f"{limit['value']:,} {_LIMITS.get(limit['limit'], limit['limit'])}"
    return f"{words} {limit['tool']}" if limit["tool"] else words


def limits_sentence(told: dict[str, Any]) -> str:
    """How many sessions were stopped, and would be."""
    sessions, stopped = told.get("sessions", 0), told.get("stopped_sessions", 0)
    if not sessions:
        return "No session was replayed."
    were = f"{stopped:,} were stopped by a limit" if stopped else "none was stopped by a limit"
    return f"Of {counted(sessions, 'session')} {were}, as recorded."


def missing_sentences(told: dict[str, dict[str, int]]) -> Iterator[tuple[str, str]]:
    """By rule, what it looks at and calls lack."""
    for rule, lacks in sorted(told.items()):
        for what, calls in sorted(lacks.items(), key=lambda lack: (-lack[1], lack[0])):
            words = _MISSING.get(what) or _of_selector(what)
            yield rule, f"of {_calls(calls)} {words}"


def not_replayed_sentences(told: dict[str, int]) -> Iterator[tuple[str, int]]:
    for reason, calls in sorted(told.items(), key=lambda reason: (-reason[1], reason[0])):
        yield _NOT_REPLAYED.get(reason, f"denied for the reason `{reason}`"), calls


def undetermined_sentence(backtest: Backtest) -> str:
    number = backtest.undetermined
    if not number:
        return ""
    come = "comes" if number == 1 else "come"
    return (
        f"{_calls(number).capitalize()} {come} after a newly denied one of the same session, and"
        " what a limit says then depends on what the agent would have done instead: undetermined."
    )


def _of_selector(what: str) -> str:
    if what.startswith("args."):
        return f"`{what}` was blanked or cut by the agent"
    return f"`{what}` is known only where the agent runs"


def _calls(number: int) -> str:
    return "one call" if number == 1 else f"{number:,} calls"

"""Headlines and second sentences of the session pages."""

from dataclasses import dataclass, field
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.contracts.domain.limit_use import LimitJudgement, LimitUse
from governance.core.figures import counted
from outcomes.sessions.domain.limit_lines import hit_at
from outcomes.sessions.domain.overview import RepeatedDenial, Results
from outcomes.sessions.words.causes import Code, NamedFailure, headline, sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """The facts of a session that its sentences need."""

    name: str
    state: str  # running, waiting, stopped or ended
    calls: int
    results: Results
    checked: int  # ran, and a check gave a verdict
    denied: int
    denied_by: str = ""  # the rule behind every denial
    denied_by_limit: int = 0
    open: int
    missed: int
    limits: list[LimitUse]
    loop: RepeatedDenial | None = None  # that the session is stuck in
    failures: list[NamedFailure] = field(default_factory=list)  # for a limit, those it counted
    before_stop: Results | None = None  # of the calls the limit counts; None: not all were read


def sessions_sentence(
    *, total: int, running: int, waiting: int, stopped: int, premature: int
) -> str:
    """Headline of the session list, worst first."""
    if not total:
        return "No sessions yet"
    sessions = counted(total, "session")
    if premature or stopped:
        hit = f"{premature or stopped:,} of {sessions} hit a limit{' early' if premature else ''}"
    else:
        hit = f"{sessions}, none hit a limit"
    parts = [hit, f"{waiting:,} waiting for approval" if waiting else ""]
    parts.append(f"{running:,} running" if running else "")
    return " · ".join(part for part in parts if part)


_IN_STATE: Final = {
    "running": ("running session", "running sessions"),
    "ended": ("ended session", "ended sessions"),
    "waiting": ("session waiting for approval", "sessions waiting for approval"),
    "stopped": ("session hit a limit", "sessions hit a limit"),
}


def state_sentence(state: str, number: int, premature: int) -> str:
    """Headline of the list narrowed to one state."""
    words = counted(number, *_IN_STATE[state])
    return f"{words}, {premature:,} early" if state == "stopped" and premature else words


def stopped_words(stopped: int, premature: int) -> str:
    if premature == stopped:
        return f"{stopped:,} hit a limit early"
    return f"{stopped:,} hit a limit" + (f", {premature:,} early" if premature else "")


def session_sentence(session: SessionSummary) -> SafeString:
    """Headline of a session: the worst fact and its cause."""
    return headline(session.name, *_headline(session))


def _headline(session: SessionSummary) -> list[str]:
    stop = first_stop(session.limits)
    if session.state == "stopped":
        if stop is not None:
            return _hit(stop, session)
        return [f" hit an unknown limit after {counted(session.calls, 'call')}"]
    if session.loop is not None:
        return _stuck(session.loop, is_running=session.state == "running")
    if session.state == "waiting":
        return [f" is waiting for approval: {counted(session.calls, 'call')} so far"]
    if session.results.failures:
        return _failed(session)
    return _denied(session) if session.denied else [_calm(session)]


def second_sentence(session: SessionSummary) -> SafeString:
    """Cause of the headline: the top error, and what the agent missed."""
    parts = [part for part in _cause(session) if part]
    return format_html(" ".join(["{}"] * len(parts)), *parts) if parts else SafeString("")


def _cause(session: SessionSummary) -> list[str]:
    stop = first_stop(session.limits)
    if session.state == "stopped" and stop is not None:
        return [
            _top_error(session),
            _missed(session),
            _unchecked(stop),
            _after_limit(session.denied_by_limit),
        ]
    if session.loop is not None:
        return []  # the cause card has the details
    if session.state == "waiting":
        return [_top_error(session), _missed(session)]
    if len(session.failures) > 1:
        return [f"{session.failures[0].calls:,} had this error.", _missed(session)]
    return [_missed(session)]


def first_stop(limits: list[LimitUse]) -> LimitUse | None:
    stops = [use for use in limits if use.stopped_at is not None]
    return min(stops, key=lambda use: use.stopped_at or 0, default=None)


def limit_name(use: LimitUse) -> str:
    if use.limit.assumed:
        return f"the SDK default of {use.limit.value:,}"
    return Code(", ".join(use.limit.rule_ids or (use.limit.kind,)))


def calls_early(use: LimitUse, before: Results) -> int:
    """Successes that were still allowed when the limit stopped the session."""
    return use.limit.value - before.successes


def results_before(use: LimitUse, session: SessionSummary) -> Results:
    """Results that the limit had counted before the stop."""
    if session.before_stop is not None:
        return session.before_stop
    successes, ran = use.used["classified"], use.used["executions"]
    return Results(ran, successes, failures=ran - successes)


def _hit(use: LimitUse, session: SessionSummary) -> list[str]:
    hit = [" hit ", limit_name(use)]
    if use.limit.tool:
        hit += [" for ", Code(use.limit.tool)]
    at = f" at call {hit_at(use):,}"
    if "attempts" in use.used:
        return [*hit, f"{at}: denied calls count too"]
    match use.judgement:
        case LimitJudgement.PREMATURE:
            before = results_before(use, session)
            early = counted(calls_early(use, before), "call")
            return [*hit, f" {early} early: {_no_successes(before, use.limit.value)}"]
        case LimitJudgement.DELAYED:
            reached = use.reached_at["classified"] or 0
            late = (use.stopped_at or 0) - 1 - reached
            by = f"{counted(late, 'call')} late" if late > 0 else "late"
            return [*hit, f" {by}: success {use.limit.value:,} was call {reached:,}"]
        case LimitJudgement.RIGHT:
            return [*hit, f"{at}, as intended"]
        case _:
            return [*hit, f"{at}: no counted call was checked"]


def _no_successes(before: Results, limit: int) -> str:
    of = f"of {counted(before.ran, 'counted call')}"
    if before.failures:
        return f"{before.failures:,} {of} failed"
    if before.unknown:
        return f"{before.unknown:,} {of} had no verdict"
    return f"{before.ran:,} of {limit:,} calls counted"


def _stuck(loop: RepeatedDenial, *, is_running: bool) -> list[str]:
    by = [" by ", Code(loop.rule)] if loop.rule else [f": {loop.reason}"]
    is_stuck = " is stuck: " if is_running else " got stuck: "
    return [is_stuck, Code(loop.tool), f" denied {loop.times:,} times", *by]


def _failed(session: SessionSummary) -> list[str]:
    if not session.failures:
        return [f": {_total_failures(session).removesuffix('.')}"]
    top = session.failures[0]
    if len(session.failures) == 1:
        return [": ", Code(top.tool), f" {top.happened}"]
    failed = _total_failures(session).removesuffix(".")
    return [f": {failed}, most by ", Code(top.tool), f": {top.error}"]


def _denied(session: SessionSummary) -> list[str]:
    number = f"{session.denied:,} of {counted(session.calls, 'call')} denied"
    by = [" by ", Code(session.denied_by)] if session.denied_by else []
    return [f": {number}", *by]


def _calm(session: SessionSummary) -> str:
    """Headline of a session without failures or denials, and how much of it was checked."""
    is_running = session.state == "running"
    calls = f"{counted(session.calls, 'call')}{' so far' if is_running else ''}"
    return f"{' is running' if is_running else ' ended'}: {calls}, {_verdicts(session)}"


def _verdicts(session: SessionSummary) -> str:
    results, checked = session.results, session.checked
    every = "all " if results.ran > 1 else ""
    if not results.ran:
        return "no result yet"
    if results.unknown:
        return f"{results.unknown:,} without a verdict"
    if not checked:
        return f"{every}reported as success, {'none' if every else 'not'} checked"
    if checked < results.ran:
        return f"no failures, {checked:,} of {results.ran:,} checked"
    return f"{every}verified as success"


def _total_failures(session: SessionSummary) -> str:
    return f"{session.results.failures:,} of {counted(session.results.ran, 'call')} failed."


def _top_error(session: SessionSummary) -> str:
    if not session.failures:
        return ""
    top = session.failures[0]
    if top.is_timeout:
        return sentence([Code(top.tool), f" {top.happened}."])
    number = "once" if top.calls == 1 else f"{top.calls:,} times"
    error = format_html('<b class="strong">{}</b>', top.error)
    return format_html("<code>{}</code> failed {} with {}.", top.tool, number, error)


def _unchecked(stop: LimitUse) -> str:
    is_unchecked = "executions" in stop.used and not stop.checked
    return "No counted call was checked, so it may have been early or late." if is_unchecked else ""


def _after_limit(denied: int) -> str:
    verb = "was" if denied == 1 else "were"
    return f"{counted(denied, 'call')} after the limit {verb} denied." if denied else ""


def _missed(session: SessionSummary) -> str:
    failures = session.results.failures
    if not session.missed:
        return ""
    if session.missed == failures:
        return "The agent missed it." if failures == 1 else "The agent missed all of them."
    return f"The agent missed {session.missed:,} of {failures:,} failures."

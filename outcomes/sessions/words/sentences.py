"""The sentences that pages of sessions open with, built from parts that may each be missing."""

from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from governance.contracts.domain.limit_use import LimitJudgement, LimitUse
from outcomes.sessions.domain.overview import Results
from outcomes.web.sentences import counted, number_word, ordinal


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """As much of a session as its sentence needs."""

    state: str  # running, waiting, stopped or ended
    calls: int
    results: Results
    denied: int
    open: int
    missed: int
    limits: list[LimitUse]
    before_stop: Results | None = None  # of what the limit counts; none: not all calls were read


def noticed_words(failures: int, *, missed: int, unsaid: int) -> str:
    """Which of the failures of a session its agent has noticed, as far as it said."""
    if not failures:
        return "none"
    if failures == unsaid:
        return "the agent said nothing of them"
    if not missed and not unsaid:
        return "the agent saw each of them"
    words = [f"agent saw {failures - missed - unsaid:,}"]
    words += [f"missed {missed:,}"] if missed else []
    words += [f"said nothing of {unsaid:,}"] if unsaid else []
    return ", ".join(words)


def sessions_sentence(
    *, total: int, running: int, waiting: int, stopped: int, premature: int
) -> str:
    if not total:
        return "No session yet."
    if total == 1:
        return f"One session, {_of_one(running, waiting, stopped, premature)}."
    running_words = f"{number_word(running)} {'is' if running == 1 else 'are'} running"
    waiting_words = ""
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        waiting_words = f" {number_word(waiting)} {verb} for an approval;"
    stopped_by = stopped_words(stopped, premature)
    return f"{total:,} sessions. {running_words.capitalize()};{waiting_words} {stopped_by}."


def stopped_words(stopped: int, premature: int) -> str:
    words = f"{number_word(stopped)} {'was' if stopped == 1 else 'were'} stopped by a limit"
    if stopped and premature == stopped:
        return words + (", too early" if stopped == 1 else ", all of them too early")
    return words + (f", {number_word(premature)} of them too early" if premature else "")


def _of_one(running: int, waiting: int, stopped: int, premature: int) -> str:
    if stopped:
        return "stopped by a limit" + (", too early" if premature else "")
    if waiting:
        return "waiting for an approval"
    return "still running" if running else "ended"


def session_sentence(session: SessionSummary) -> SafeString:
    if session.state == "stopped":
        stop = first_stop(session.limits)
        if stop is not None:
            return _stopped(stop, session)
    return format_html("{}", _course(session))


def second_sentence(session: SessionSummary) -> str:
    parts = []
    stop = first_stop(session.limits)
    if session.state == "stopped" and stop is not None and "classified" in stop.used:
        value = stop.limit.value
        if stop.checked and stop.used["classified"] != stop.used["executions"]:
            parts.append(f"By successes it stood at {stop.used['classified']:,} of {value:,}.")
    failures = session.results.failures
    if session.missed and session.missed == failures:
        parts.append("The agent missed it." if failures == 1 else "The agent missed all of them.")
    elif session.missed:
        parts.append(f"The agent missed {session.missed:,} of the {failures:,} failures.")
    if session.state == "stopped":
        after = session.denied and f"{counted(session.denied, 'call')} of {session.calls:,}"
        verb = "was" if session.denied == 1 else "were"
        parts.append(f"{after} {verb} denied." if after else "")
    return " ".join(part for part in parts if part)


def first_stop(limits: list[LimitUse]) -> LimitUse | None:
    stops = [use for use in limits if use.stopped_at is not None]
    return min(stops, key=lambda use: use.stopped_at or 0, default=None)


def _stopped(use: LimitUse, session: SessionSummary) -> SafeString:
    if "attempts" in use.used:
        return format_html(
            "Stopped by {} at call {}, its {} attempt. "
            "Every attempt counts, whether it ran or was denied.",
            limit_name(use), f"{use.stopped_at:,}", ordinal(use.stopped_at or 0),
        )  # fmt: skip
    before = _before(use, session)
    of_tool = format_html(" of <code>{}</code>", use.limit.tool) if use.limit.tool else ""
    return format_html(
        "Stopped by {} at call {}, after {}{}{}",
        limit_name(use),
        f"{use.stopped_at:,}",
        counted(before.ran, "execution"),
        of_tool,
        _judged(use, before),
    )


def _before(use: LimitUse, session: SessionSummary) -> Results:
    """What had run until then of what the limit counts."""
    if session.before_stop is not None:
        return session.before_stop
    successes, ran = use.used["classified"], use.used["executions"]
    return Results(ran, successes, failures=ran - successes)


def limit_name(use: LimitUse) -> SafeString:
    if use.limit.assumed:
        return format_html("the SDK's own limit of {}", f"{use.limit.value:,}")
    names = use.limit.rule_ids or (use.limit.kind,)
    return format_html_join(" and ", "<code>{}</code>", ((name,) for name in names))


def _judged(use: LimitUse, before: Results) -> str:
    match use.judgement:
        case LimitJudgement.PREMATURE:
            return f"{_no_successes(before)}; {_instead(use, before)}."
        case LimitJudgement.DELAYED:
            reached = use.reached_at["classified"]
            success = ordinal(use.limit.value)
            return f". That was too late: the {success} success was call {reached:,} already."
        case LimitJudgement.RIGHT:
            return ". That was as intended."
        case _:
            return ". Whether that was right is not known: no call was checked."


def _no_successes(before: Results) -> str:
    failures, unknown = before.failures, before.unknown
    those = f"of those {before.ran:,}" if before.ran > 1 else "of it"
    if failures and before.ran == 1:
        return "; it was a failure"
    if failures:
        also = f" and {unknown:,} unknown" if unknown else ""
        return (
            f"; {failures:,} {those} {'was a failure' if failures == 1 else 'were failures'}{also}"
        )
    if unknown and before.ran == 1:
        return "; whether it succeeded is unknown"
    return f"; {unknown:,} {those} {'is' if unknown == 1 else 'are'} unknown" if unknown else ""


def _instead(use: LimitUse, before: Results) -> str:
    """Where the limit would have been reached, had it counted what it means."""
    if (reached := use.reached_at["classified"]) is not None:
        return f"counting successes it was reached at call {reached:,} only"
    further = (use.stopped_at or 0) - 1 + use.limit.value - before.successes
    return f"counting successes it would have gone on to call {further:,}"


def _course(session: SessionSummary) -> str:
    one = session.calls == 1
    calls = "one call" if one else f"{session.calls:,} calls"
    begins = {
        "running": f"Running, {calls} so far",
        "waiting": f"Waiting for an approval, {calls} so far",
        "stopped": f"Stopped by a limit after {calls}",
    }.get(session.state, f"Ended after {calls}")
    clauses = _one_call(session) if one else _many_calls(session)
    return f"{begins}: {', '.join(clauses)}."


def _one_call(session: SessionSummary) -> list[str]:
    results = session.results
    if session.denied:
        return ["it was denied"]
    if session.open:
        return ["it has no result yet"]
    if results.failures:
        return ["it failed, which the agent missed" if session.missed else "it failed"]
    return ["it succeeded" if results.successes else "whether it succeeded is unknown"]


def _all_executions(number: int) -> str:
    if number < 3:
        return "the one execution" if number == 1 else "both executions"
    return f"all {number:,} executions"


def _many_calls(session: SessionSummary) -> list[str]:
    results, clauses = session.results, []
    if results.failures:
        clauses.append(f"{results.failures:,} of {counted(results.ran, 'execution')} failed")
    elif results.successes and results.successes == results.ran:
        clauses.append(f"{_all_executions(results.ran)} succeeded")
    elif results.successes:
        clauses.append(f"{results.successes:,} of {results.ran:,} executions succeeded")
    if results.unknown:
        clauses.append(f"{results.unknown:,} {'is' if results.unknown == 1 else 'are'} unknown")
    if session.denied == session.calls:
        clauses.append("all of them were denied")
    elif session.denied:
        clauses.append(f"{session.denied:,} {'was' if session.denied == 1 else 'were'} denied")
    if session.open:
        clauses.append(f"{session.open:,} without a result yet")
    return clauses

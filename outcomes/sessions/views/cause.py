"""Cause of a stuck session: the denied call, its message, and what to do next."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from governance.contracts.domain.limit_use import LimitJudgement, LimitUse
from governance.core.figures import counted, duration, without_marks
from governance.core.session_limits import SDK_MAX_EXECUTIONS as MOST_EXECUTIONS
from governance.core.session_limits import MaxAttempts
from governance.people.auth import MemberRequest
from governance.people.policies import Action, may
from outcomes.models import Call, Session
from outcomes.sessions.domain.limit_lines import hit_at
from outcomes.sessions.domain.overview import CONTRACT, RepeatedDenial, cap_for
from outcomes.sessions.queries.page import SessionPage
from outcomes.stored.queries import arguments_line, read_calls

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
    """Limits, hit or reached ones first, and contract limits before SDK defaults."""
    return sorted(limits, key=lambda use: (_weight(use), use.limit.assumed))


def key_of(use: LimitUse) -> str:
    """Name of the limit in URLs."""
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
    return "SDK default, which a contract can't raise." if use.limit.assumed else ""


AT_LEAST: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class NextStep:
    """One way out of a loop. Names in its texts are in backticks."""

    title: str
    why: str
    effect: str
    url: str = ""
    button: str = ""
    is_main: bool = False


def cause_of(
    request: MemberRequest, page: SessionPage, loop: RepeatedDenial | None, state: str
) -> dict[str, Any] | None:
    if loop is None:
        return None
    session = page.session
    rows = Call.objects.filter(project=session.project_id, pk=loop.call)
    stored = next(iter(read_calls(list(rows.select_related("tool", "environment")))), None)
    return {
        "loop": loop,
        "arguments": arguments_line(stored),
        "others": _others(page, loop),
        "steps": list(_next_steps(request, page, loop, is_running=state == "running")),
    }


def _others(page: SessionPage, loop: RepeatedDenial) -> str:
    """Outcome of the other calls, and how many were checked."""
    session, checked = page.session, page.overview.checked
    denied = session.denied - loop.times
    parts = [f"{counted(denied, 'other call')} denied" if denied else ""]
    if session.executions:
        ran = f"{counted(session.executions, 'other call')} ran"
        if session.failures:
            parts.append(f"{ran}, {session.failures:,} failed")
        else:
            parts.append(f"{ran}, {checked:,} checked, no failures")
    words = " · ".join(part for part in parts if part)
    return f"{words}." if words else "No other call ran."


def _next_steps(
    request: MemberRequest, page: SessionPage, loop: RepeatedDenial, *, is_running: bool
) -> Iterator[NextStep]:
    yield _stop_agent(request, page.session, loop, is_running=is_running)
    version = page.session.version
    if version is None or loop.reason != CONTRACT or not loop.rule:
        return
    may_write = may(request.role, Action.WRITE_CONTRACT)
    edit = reverse("governance:edit_draft", args=[request.project.slug, version.bundle.name])
    url, rule = edit if may_write else "", without_marks(loop.rule)
    problem = "is empty" if not loop.message else "doesn't change what the agent does"
    yield NextStep(
        "Improve the message.",
        f"The message of `{rule}` {problem}.",
        "The agent gets the message with every denial.",
        url,
        "Edit message",
    )
    cap = cap_for(page.session.executions, loop)
    if cap is None:
        yield NextStep(
            "Change the rule",
            f"if this call should run: narrow `{rule}`.",
            "A backtest shows what it would newly allow.",
            url,
            "Edit rule",
        )
        return
    saved = counted(page.session.attempts - cap, "call")
    ends = f"With {cap:,}, this session ends at call {cap:,}, {saved} earlier."
    trial = limit_trial(request, page.session, MaxAttempts.kind, cap)
    why = f"{_attempts_words(page)}."
    yield NextStep("Cap denied calls.", why, ends, trial, f"Backtest with {cap:,}")


def limit_trial(request: MemberRequest, session: Session, limit: str, value: int) -> str:
    """URL of a backtest of the session's contract with another limit; empty for viewers."""
    version = session.version
    if version is None or not may(request.role, Action.WRITE_CONTRACT):
        return ""
    age = timezone.now() - (session.last_at or timezone.now())
    query = {
        "version": version.number,
        "limit": limit,
        "value": value,
        "environment": session.environment.name,
        "days": next((days for days in (7, 30) if age.days < days), ""),
    }
    if session.agent:
        query["agent"] = session.agent.name
    form = reverse("outcomes:backtests", args=[request.project.slug, version.bundle.name])
    return f"{form}?{urlencode(query)}"


def raised_limit(
    request: MemberRequest, session: Session, limits: list[LimitUse]
) -> dict[str, Any] | None:
    """Backtest of a limit raised by the number of failed calls it counted."""
    for use in limits:
        limit = use.limit
        is_early = use.stopped_at is not None and use.judgement == LimitJudgement.PREMATURE
        value = limit.value + use.used.get("executions", 0) - use.used.get("classified", 0)
        if is_early and not limit.assumed and limit.value < value <= MOST_EXECUTIONS:
            url = limit_trial(request, session, key_of(use), value)
            return {"url": url, "value": value} if url else None
    return None


def _stop_agent(
    request: MemberRequest, session: Session, loop: RepeatedDenial, *, is_running: bool
) -> NextStep:
    agent = session.agent.name if session.agent else ""
    url = ""
    if agent and may(request.actor, Action.STOP_AGENT, session.environment.name):
        query = urlencode({"environment": session.environment.name, "agent": agent})
        url = f"{reverse('governance:new_stop', args=[request.project.slug])}?{query}"
    if is_running:
        every = duration(max(loop.interval, AT_LEAST))
        why, effect = f"It repeats the call every {every}.", "Takes effect with its next call."
    else:
        why = "This session ended, and others may do the same."
        effect = f"Denies every call of the agent in {session.environment.name} until lifted."
    return NextStep("Stop the agent.", why, effect, url, f"Stop {agent}…", is_main=is_running)


def _attempts_words(page: SessionPage) -> str:
    limits = [use.limit for use in page.report.limits if isinstance(use.limit, MaxAttempts)]
    if not limits:
        return "No `max_attempts` is set"
    default = " by SDK default" if limits[0].assumed else ""
    return f"`max_attempts` is {limits[0].value:,}{default}"

"""Alerts about calls: subject, cause and severity, as plain values and texts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from governance.core.figures import counted, duration, percent, thousands, without_marks
from governance.core.texts import code
from outcomes.denials.domain import ENDLESS, Loop
from outcomes.figures.domain.standouts import Fall

STUCK: Final = "denial_loop"
EARLY: Final = "limit_hit_early"
FELL: Final = "success_fell"
FAILED_BATCHES: Final = "failed_batches"
SILENT: Final = "silent_failures"
KINDS: Final = (STUCK, EARLY, FELL, SILENT, FAILED_BATCHES)

WINDOW: Final = timedelta(hours=24)
LATE: Final = 60.0  # seconds of lag
DEEP: Final = 10.0  # points of success rate
FEWEST: Final = 10  # suspected outputs for severity error
SINGLE: Final = 5  # sessions of one agent with one cause; more share an alert
LONGEST_HEADLINE: Final = 90  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Title with names in backticks, cause, and rank of an alert."""

    title: str
    why: str
    severity: str = "error"
    impact: int = 0


@dataclass(frozen=True, slots=True)
class Stuck:
    """A denial loop with the arguments and message of its denied call."""

    loop: Loop
    arguments: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Early:
    """A session that a limit stopped before as many calls had succeeded as it allows."""

    session_id: str
    environment: str
    agent: str
    limit: str
    value: int
    succeeded: int
    failed: int  # of the whole session
    last_at: datetime | None

    @property
    def calls_early(self) -> int:
        return max(1, self.value - self.succeeded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallen:
    """A tool whose success rate fell, who called it, and why it fails."""

    fall: Fall
    agents: list[str]
    environments: list[str]
    error: str = ""  # the most frequent one
    error_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspected:
    """Outputs of a tool that look like failures but count as success, in the window or, if it has
    none, among the tool's newest outputs."""

    tool: str
    outputs: int
    of: int
    looks: str  # why they look like failures, with names in backticks
    agents: list[str]
    environments: list[str]
    rate: float | None = None  # as counted; None: not in the window
    lowest: float | None = None  # if all of them failed
    is_all: bool = True  # False: there may be more

    @property
    def is_recent(self) -> bool:
        return self.rate is not None


def stuck_text(stuck: Stuck, now: datetime) -> Text:
    loop = stuck.loop
    state = "is stuck" if loop.goes_on(now) else "got stuck"
    by = f" by {code(loop.rule)}" if loop.rule else ""
    arguments = f": {code(stuck.arguments)}" if stuck.arguments else ""
    message = f" {_sentence(stuck.message)}" if stuck.message else ""
    where = _where(loop.agent, loop.environment)
    return Text(
        title=f"{code(loop.session_id)} {state}: {code(loop.tool)} denied"
        f" {thousands(loop.times)} times{by}",
        why=f"{where} Same arguments{_pace(loop)}{arguments}.{message}",
        severity="error" if loop.times >= ENDLESS else "warning",
        impact=loop.times,
    )


def stuck_group_text(loops: list[Loop]) -> Text:
    """Alert about many sessions of one agent that are stuck on one rule."""
    first = loops[0]
    calls = sum(each.times for each in loops)
    return Text(
        title=f"{len(loops):,} sessions of {code(first.agent)} got stuck on"
        f" {code(first.rule or first.tool)}",
        why=f"{first.environment}. {code(first.tool)} was denied {thousands(calls)} times, most in"
        f" {code(first.session_id)}: {thousands(first.times)} times.",
        severity="error" if first.times >= ENDLESS else "warning",
        impact=calls,
    )


def early_text(early: Early, error: str = "") -> Text:
    verb = "failed" if early.failed >= early.calls_early else "did not succeed"
    failed = f"{early.calls_early:,} of {early.value:,} counted calls {verb}"
    error = f": {_sentence(error)}" if error else "."
    return Text(
        title=f"{code(early.session_id)} hit {code(early.limit)}"
        f" {counted(early.calls_early, 'call')} early",
        why=f"{_where(early.agent, early.environment)} {failed}{error}",
        impact=early.calls_early,
    )


def early_group_text(sessions: list[Early]) -> Text:
    first = sessions[0]
    return Text(
        title=f"{len(sessions):,} sessions of {code(first.agent)} hit {code(first.limit)} early",
        why=f"{first.environment}. Newest: {code(first.session_id)},"
        f" {counted(first.calls_early, 'call')} early.",
        impact=sum(each.calls_early for each in sessions),
    )


def fallen_text(fallen: Fallen) -> Text:
    fall = fallen.fall
    failures = fall.now.of - fall.now.successes
    error = ""
    if fallen.error:
        error = f" {thousands(fallen.error_calls)} times: {_sentence(fallen.error)}"
    return Text(
        title=f"{code(fall.tool)} fell to {percent(fall.now.rate)} from"
        f" {percent(fall.before.rate)}: {failures:,} of {fall.now.of:,} calls failed",
        why=f"{_where(_listed(fallen.agents), ', '.join(fallen.environments))}{error}"
        f" Previous 24 h: {thousands(fall.before.successes)} of {thousands(fall.before.of)}"
        " succeeded.",
        severity="error" if fall.points >= DEEP else "warning",
        impact=failures,
    )


def suspected_text(suspected: Suspected) -> Text:
    least = "" if suspected.is_all else "At least "
    of = thousands(suspected.of) if suspected.is_recent else f"the newest {suspected.of:,}"
    where = _where(_listed(suspected.agents), ", ".join(suspected.environments))
    rates = ""
    if suspected.rate is not None:
        counted_rate, lowest = percent(suspected.rate), percent(suspected.lowest)
        rates = f" Success is {counted_rate} now, {lowest} if they failed."
    fell = 100 * ((suspected.rate or 0) - (suspected.lowest or 0))
    is_error = suspected.is_recent and suspected.outputs >= FEWEST and fell >= DEEP
    return Text(
        title=f"{least}{thousands(suspected.outputs)} of {of} {code(suspected.tool)} outputs look"
        " like failures",
        why=f"{where} They have {suspected.looks} and count as success.{rates}".strip(),
        severity="error" if is_error else "warning",
        impact=suspected.outputs,
    )


def failed_batches_text(batches: int, events: int, error: str) -> Text:
    cause = f"{_sentence(error)} " if error else ""
    return Text(
        title=f"{counted(batches, 'failed batch', 'failed batches')}:"
        f" {counted(events, 'event')} not processed",
        why=f"{cause}Not included in any numbers until retried.",
        impact=events,
    )


def lag_text(seconds: float, batches: int, events: int) -> Text:
    queue = f"{counted(events, 'event')} in {counted(batches, 'batch', 'batches')} queued."
    return Text(
        title=f"Processing is {duration(timedelta(seconds=seconds))} behind",
        why=f"{queue} All pages lag by the same amount.",
        impact=events,
    )


def headline(worst: str, number: int) -> str:
    """Title of the worst alert, and how many more are open."""
    if not number:
        return "No open alerts"
    more = f", {number - 1:,} more open" if number > 1 else ""
    if len(worst.replace("`", "")) + len(more) <= LONGEST_HEADLINE:
        return worst + more
    return f"{counted(number, 'open alert')}"


def _where(agents: str, environments: str) -> str:
    if not agents and not environments:
        return ""
    names = [code(agents) if "`" not in agents else agents] if agents else []
    return ", ".join([*names, *filter(None, [environments])]) + "."


def _listed(agents: Iterable[str]) -> str:
    names = [code(each) for each in agents]
    shown = ", ".join(names[:2])
    return shown if len(names) <= 2 else f"{shown} and {len(names) - 2} more agents"


def _pace(loop: Loop) -> str:
    if loop.times < 2 or not loop.lasted:
        return ""
    return f" every {duration(loop.lasted / (loop.times - 1))}"


def _sentence(text: str) -> str:
    text = " ".join(without_marks(text).split())
    text = text if len(text) <= 200 else text[:199] + "…"
    return text if text.endswith((".", "…", "!", "?")) else f"{text}."

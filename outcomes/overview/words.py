"""What needs attention on the first page, and the sentence that it opens with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.core.figures import duration, percent, thousands
from outcomes.denials.domain import ENDLESS, Loop
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.standouts import Fall, Judged
from outcomes.jobs.queries import Backlog
from outcomes.sessions.queries.stopped import StoppedCounts
from outcomes.web.sentences import counted, number_word

LATE: Final = 60.0  # seconds behind after which something must be wrong
DEEP: Final = 10.0  # points of success
MOST: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    severity: str  # error or warning
    words: SafeString
    why: str
    url: str
    at: datetime | None = None


def worst_first(notices: Iterable[Notice]) -> list[Notice]:
    """Those of one severity stay in the order that they came in."""
    return sorted(notices, key=lambda each: each.severity != "error")


def of_fall(fall: Fall, url: str) -> Notice:
    return Notice(
        severity="error" if fall.points >= DEEP else "warning",
        words=format_html(
            "<code>{}</code> succeeds less: {}, was {}",
            fall.tool,
            percent(fall.now.rate),
            percent(fall.before.rate),
        ),
        why=f"{thousands(fall.now.successes)} of {thousands(fall.now.of)} calls, "
        f"{thousands(fall.before.successes)} of {thousands(fall.before.of)} in the time before.",
        url=url,
    )


def of_loop(loop: Loop, url: str) -> Notice:
    return Notice(
        severity="error" if loop.times >= ENDLESS else "warning",
        words=format_html(
            "Denial loop: <code>{}</code>, {} times in one session",
            loop.rule or loop.tool,
            thousands(loop.times),
        ),
        why=format_html(  # each name keeps the direction of its letters to itself
            "<bdi>{}</bdi>, session <bdi>{}</bdi>: the same call of <bdi>{}</bdi> each time."
            " Reason: <bdi>{}</bdi>.",
            loop.agent,
            loop.session_id,
            loop.tool,
            loop.reason,
        ),
        url=url,
        at=loop.last_at,
    )


def of_stopped(counts: StoppedCounts, url: str) -> Notice | None:
    if not counts.premature:
        return None
    sessions = counted(counts.stopped, "session")
    early = "too early"
    if counts.stopped > 1:
        all_of = counts.premature == counts.stopped
        early = f"{'all' if all_of else number_word(counts.premature)} of them too early"
    return Notice(
        severity="warning",
        words=format_html("{} stopped by a limit, {}", sessions, early),
        why="Counting what really succeeded, the limit was not reached yet.",
        url=url,
    )


def of_backlog(waiting: Backlog, url: str) -> list[Notice]:
    found = []
    if waiting.set_aside:
        batches = counted(waiting.set_aside, "batch", "batches")
        verb = "is" if waiting.set_aside == 1 else "are"
        found.append(
            Notice(
                severity="error",
                words=format_html("{} of outcomes {} set aside", batches, verb),
                why="Settling failed again and again; what is in there counts nowhere yet.",
                url=url,
            )
        )
    if waiting.seconds_behind > LATE:
        behind = duration(timedelta(seconds=waiting.seconds_behind))
        found.append(
            Notice(
                severity="error",
                words=format_html("Settling is {} behind", behind),
                why=f"{counted(waiting.items, 'item')} in "
                f"{counted(waiting.batches, 'batch', 'batches')} wait; figures are as old as that.",
                url=url,
            )
        )
    return found


def sentence(things: int, now: Figures, before: Figures, falls: Sequence[Fall]) -> SafeString:
    return format_html("{} {}", _attention(things), _success(now, before, falls))


def _attention(things: int) -> str:
    if not things:
        return "Nothing needs attention."
    word = number_word(things)
    verb = "needs" if things == 1 else "need"
    return f"{word[0].upper()}{word[1:]} thing{'' if things == 1 else 's'} {verb} attention."


def _success(now: Figures, before: Figures, falls: Sequence[Fall]) -> SafeString:
    if not now.judged:
        return format_html("{}", "No call has a verdict." if now else "")
    held = format_html("{} of {} succeeded.", percent(now.rate), counted(now.judged, "call"))
    if not before.judged:
        return held
    whole = Fall("", Judged(now.successes, now.judged), Judged(before.successes, before.judged))
    if whole.now.bounds[1] >= whole.before.bounds[0]:
        return held
    fell = f"Success fell from {100 * whole.before.rate:.1f} to {percent(whole.now.rate)}"
    if falls and falls[0].missing >= 0.5 * whole.missing:
        share = "almost all" if falls[0].missing >= 0.9 * whole.missing else "most"
        return format_html("{}, {} of it in <code>{}</code>.", fell, share, falls[0].tool)
    return format_html("{}.", fell)

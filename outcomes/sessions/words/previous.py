"""Comparisons with earlier sessions, and with the previous period."""

from typing import Final

from governance.core.figures import counted, duration, percent
from outcomes.sessions.domain.facets import Facets
from outcomes.sessions.queries.page import BEFORE, SessionsBefore
from outcomes.sessions.words.sentences import stopped_words

_NONE: Final = f"no earlier session in {BEFORE.days} days"


def previous_sessions_words(before: SessionsBefore | None) -> dict[str, str]:
    """Comparison texts by tile of the session page."""
    if before is None:
        return {"rate": _NONE}
    number = before.sessions
    if not before.judged:
        rate = f"no verdicts in {counted(number, 'earlier session')}"
    else:
        share = percent(before.successes / before.judged)
        rate = f"vs {share} of {before.judged:,} in {counted(number, 'earlier session')}"
    lasted = f"{duration(before.lasted / number)}{_on_average(number)}"
    return {
        "rate": rate,
        "calls": f"vs {_average(before.calls, number)}",
        "failures": f"vs {_average(before.failures, number)}",
        "wasted": f"vs {_average(before.wasted, number)}",
        "lasted": f"earlier sessions lasted {lasted}",
    }


def previous_period_words(before: Facets, words: str) -> str:
    """Sentence about the previous period, shown below the list's headline."""
    period = words.removeprefix("the ").capitalize()
    stopped = before.states["stopped"]
    limits = f", {stopped_words(stopped, before.premature)}" if stopped else ""
    return f"{period}: {counted(before.all, 'session')}{limits}."


def _average(sums: int, sessions: int) -> str:
    """Average with one decimal, omitted if zero."""
    return f"{sums / sessions:,.1f}".removesuffix(".0") + _on_average(sessions)


def _on_average(sessions: int) -> str:
    return " on average" if sessions > 1 else ""

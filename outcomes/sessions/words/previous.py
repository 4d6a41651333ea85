"""How the figures of sessions compare with those before: texts for their pages."""

from typing import Final

from governance.core.figures import duration, percent
from outcomes.sessions.domain.facets import Facets
from outcomes.sessions.queries.about_sessions import BEFORE, SessionsBefore
from outcomes.sessions.words.sentences import stopped_words
from outcomes.web.sentences import counted

_NONE: Final = f"its agent ended no session in the {BEFORE.days} days before"


def previous_sessions_words(before: SessionsBefore | None) -> dict[str, str]:
    """By the tile of a session's page."""
    if before is None:
        return {"rate": _NONE}
    number = before.sessions
    whole = "the session" if number == 1 else f"the {number:,} sessions"
    where = f"in {whole} of its agent before"
    if not before.judged:
        rate = f"nothing judged {where}"
    else:
        rate = f"was {percent(before.successes / before.judged)} of {before.judged:,} {where}"
    return {
        "rate": rate,
        "calls": f"were {_each(before.calls, number)}",
        "failures": f"were {_each(before.failures, number)}",
        "wasted": f"were {_each(before.wasted, number)}",
        "lasted": f"lasted {duration(before.lasted / number)}{_on_average(number)}",
    }


def previous_period_words(before: Facets, words: str) -> str:
    """Below the sentence of the list, which counts those of the time that was asked for."""
    told = f"In {words}: {counted(before.all, 'session') if before.all else 'no session'}"
    stopped = before.states["stopped"]
    return f"{told}, {stopped_words(stopped, before.premature)}." if stopped else f"{told}."


def _each(sums: int, sessions: int) -> str:
    """Whole where it is whole."""
    return f"{sums / sessions:,.1f}".removesuffix(".0") + _on_average(sessions)


def _on_average(sessions: int) -> str:
    return " on average" if sessions > 1 else ""

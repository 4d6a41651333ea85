"""Sentences about hits, and about the progress of the index."""

from datetime import datetime
from typing import Final

from governance.core.figures import counted
from outcomes.search.queries.differences import Comparison
from outcomes.search.queries.hits import Hits
from outcomes.search.queries.progress import Progress
from outcomes.search.queries.sessions import MatchingSessions
from outcomes.search.queries.sources import moment


def hits_sentence(hits: Hits, *, is_first: bool) -> str:
    """Headline of a page of hits. Failures come first, and unknown counts are left out."""
    calls = len(hits.rows)
    if not is_first:
        return "Older calls that match"
    if hits.end is not None and not hits.is_cut:
        return f"More than {calls:,} calls match"
    if hits.is_cut:
        return f"{counted(calls, 'call')} {'matches' if calls == 1 else 'match'} so far"
    if not calls:
        return "No call matches"
    return _exact(hits)


def _exact(hits: Hits) -> str:
    calls = len(hits.rows)
    failed = sum(row.verdict == "failure" for row in hits.rows)
    denied = sum(row.kind == "denied" for row in hits.rows)
    of = f"{calls:,} matching {'call' if calls == 1 else 'calls'}"
    if calls > 1 and calls in (failed, denied):
        return f"All {calls:,} matching calls {'failed' if failed else 'were denied'}"
    if failed and denied:
        return f"{failed:,} of {of} failed, {denied:,} {'was' if denied == 1 else 'were'} denied"
    if failed:
        return f"{failed:,} of {of} failed"
    if denied:
        return f"{denied:,} of {of} {'was' if denied == 1 else 'were'} denied"
    return f"{counted(calls, 'call')} {'matches' if calls == 1 else 'match'}, none failed"


BAD_QUERY: Final = "Invalid search"


def part_words(matching: MatchingSessions) -> str:
    """Which matching calls a list of sessions covers, or empty if it covers all."""
    newest, end = matching.begin is None, matching.end
    if newest and end is None:
        return ""
    back = f" back to {_time(moment(end[0]))}" if end else ""
    if matching.begin is None:
        return f"Sessions of the newest matching calls,{back}."
    return f"Sessions of matching calls from {_time(moment(matching.begin[0]))}{back}."


def shown_words(hits: Hits, shown: int, *, is_first: bool) -> str:
    """Footer of the table: "20 of 86, newest first"."""
    if hits.is_cut and hits.end is not None:
        return f"{shown:,}, newest first, searched back to {_time(moment(hits.end[0]))}"
    if not is_first:
        return f"{shown:,}, newest first"
    more = "more than " if hits.end is not None else ""
    return f"{shown:,} of {more}{len(hits.rows):,}, newest first"


def comparison_words(compared: Comparison) -> str:
    """Sentence about the samples: "86 calls here vs 800 of the other 2,877 calls"."""
    result = compared.result
    newest = "the newest " if compared.is_newest else ""
    here = f"{newest}{counted(result.here, 'call')} here"
    if result.elsewhere == compared.others:
        there = f"the other {counted(compared.others, 'call')}"
    else:
        more = "newest " if compared.is_bounded else ""
        there = f"{result.elsewhere:,} of the {more}{compared.others:,} other calls"
    since = f" since {_time(compared.since)}" if compared.since is not None else ""
    return f"{here} vs {there}{since}"


def smaller_words(compared: Comparison, *, is_searched: bool) -> str:
    smaller = compared.result.smaller
    differ = "differs" if smaller == 1 else "differ"
    words = [f"{counted(smaller, 'more field')} {differ} less."] if smaller else []
    if is_searched:
        words.append("Searched fields are not compared.")
    return " ".join(words)


def progress_words(progress: Progress) -> str:
    """Sentences about what the index does not cover yet, or empty."""
    words = []
    if progress.events:
        more = "More than " if progress.is_more else ""
        events = counted(progress.events, "new event")
        words.append(f"{more}{events} not indexed yet.")
    if progress.back_to is not None:
        words.append(f"Calls before {_time(progress.back_to)} are still being indexed.")
    if progress.error:
        words.append("The last indexing run failed and will be retried.")
    return " ".join(words)


def _time(at: datetime) -> str:
    return f"{at.day} {at:%b %H:%M} UTC"

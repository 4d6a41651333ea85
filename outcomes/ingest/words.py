"""Headlines of the pages about invalid events and failed batches."""

from datetime import timedelta

from governance.core.figures import counted, duration, thousands
from governance.core.texts import code
from outcomes.jobs.queries import Backlog
from outcomes.models import RejectedItem


def invalid_sentence(number: int, newest: RejectedItem | None) -> str:
    """Headline: "12 invalid events, the newest with `bad_time` from `billing-bot`"."""
    if not number:
        return "No invalid events"
    events = counted(number, "invalid event")
    if newest is None:
        return events
    sender = f" from {code(newest.agent[:30])}" if newest.agent else ""
    return f"{events}, the newest with {code(newest.code)}{sender}"


def failed_sentence(batches: int) -> str:
    if not batches:
        return "No failed batches"
    return f"{counted(batches, 'failed batch', 'failed batches')}, not included in any numbers"


def backlog_words(backlog: Backlog) -> str:
    """Sentence about the queue, excluding failed batches."""
    if not backlog.batches:
        return "The queue is empty: everything else is processed."
    behind = duration(timedelta(seconds=backlog.seconds_behind))
    events = f"{thousands(backlog.items)} event{'' if backlog.items == 1 else 's'}"
    batches = counted(backlog.batches, "batch", "batches")
    return f"Queued: {events} in {batches}, the oldest for {behind}."

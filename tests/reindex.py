"""The search index, finished and compared with what the calls say: for drills and tests."""

import time
from collections.abc import Iterator

from outcomes.masking.queries.shown_calls import shown_folds
from outcomes.models import Call, IndexedCall, Posting, SearchIndex, UnindexedEvents
from outcomes.search.commands.indexing import run_index, waiting_indexes
from outcomes.search.domain.tokens import tokens_of, unpacked
from outcomes.search.queries.hits import searchable
from outcomes.search.queries.sources import microseconds

PATIENCE = 120.0  # seconds


def index_differences() -> list[str]:
    """Sentences about what the index lacks or has too much of, once it has nothing left to do."""
    until = time.monotonic() + PATIENCE
    while _has_work() and time.monotonic() < until:
        # A process that was killed holds its lease for half a minute. A running console that loses
        # its own to this one starts again.
        SearchIndex.objects.filter(status=SearchIndex.Status.RUNNING).update(
            status=SearchIndex.Status.QUEUED
        )
        for number in waiting_indexes():
            run_index(number)
    return list(_differences())


def _has_work() -> bool:
    waiting = bool(waiting_indexes())
    is_running = SearchIndex.objects.filter(status=SearchIndex.Status.RUNNING).exists()
    return waiting or is_running or UnindexedEvents.objects.exists()


def _differences() -> Iterator[str]:
    if UnindexedEvents.objects.exists():
        yield "some events are not indexed"
    indexed = {
        call: (at, unpacked(bytes(tokens)))
        for call, at, tokens in IndexedCall.objects.values_list("pk", "at", "tokens")
    }
    expected = {
        row.pk: (microseconds(row.at), tokens_of(row.project_id, searchable(folded)))
        for row, folded in shown_folds(list(Call.objects.select_related("tool")))
    }
    for call in expected.keys() | indexed.keys():
        if expected.get(call) != indexed.get(call):
            yield f"call {call} is not indexed as it is"
    postings = {(token, at, call) for call, (at, tokens) in indexed.items() for token in tokens}
    if set(Posting.objects.values_list("token", "at", "call")) != postings:
        yield "the postings are others than those of the indexed calls"

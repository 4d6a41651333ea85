"""Finishes the search index and compares it with the calls, for drills and tests."""

from collections.abc import Iterator

from outcomes.masking.queries.shown_calls import shown_folds
from outcomes.models import Call, IndexedCall, Posting, SearchIndex, UnindexedEvents
from outcomes.search.commands.indexing import run_index, waiting_indexes
from outcomes.search.domain.tokens import tokens_of, unpacked
from outcomes.search.queries.hits import searchable
from outcomes.search.queries.sources import microseconds


def index_differences() -> list[str]:
    """Finish indexing, and describe missing and superfluous entries."""
    # Requeue indexing that a killed process left running; its lease lasts for half a minute.
    SearchIndex.objects.filter(status=SearchIndex.Status.RUNNING).update(
        status=SearchIndex.Status.QUEUED
    )
    while waiting := waiting_indexes():
        for number in waiting:
            run_index(number)
    return list(_differences())


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

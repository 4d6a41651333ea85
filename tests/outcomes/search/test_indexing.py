"""The search index matches the calls after processing, updates, removals and crashes."""

import pytest
from django.db import connection

from outcomes.jobs import commands as jobs
from outcomes.jobs.pace import Pace
from outcomes.models import Call, IndexedCall, Posting, SearchIndex, UnindexedEvents
from outcomes.search.commands import indexing
from outcomes.search.commands.indexing import run_index, waiting_indexes
from outcomes.search.domain.language import parse
from outcomes.search.queries.hits import search
from outcomes.search.queries.sources import _POSTINGS
from outcomes.stored.queries import ANY_CALL
from tests.items import an_event, an_outcome
from tests.outcomes.posting import Agent
from tests.outcomes.waiting_jobs import run_waiting_indexes, run_waiting_removals
from tests.reindex import index_differences

TOKEN = "sk-abcdefghijklmnopqrstuvwx0123456789"


def hits(project, text):
    return [row.call_id for row in search(project.pk, parse(text), ANY_CALL, size=50).rows]


def claimed_index(number) -> SearchIndex:
    index = jobs.claimed(SearchIndex.objects.all(), number)
    assert index
    return index


def test_arguments_outputs_errors_and_reasons_are_searchable(project, agent: Agent):
    agent.post(
        an_outcome("args", tool_args={"to": "Anna Larsson", "items": [{"sku": "B-7"}]}),
        an_outcome("output", output={"body": {"note": "upstream timeout"}}),
        an_outcome("error", type="failure", error="SMTP 451: try again later"),
        an_outcome("reason", type="denied", reason="limit", details="Only 50 calls a day."),
    )
    run_waiting_indexes()
    assert hits(project, "larsson") == ["args"]
    assert hits(project, '"anna larsson"') == ["args"]
    assert hits(project, '"larsson anna"') == []
    assert hits(project, "args.items.sku:b-7") == ["args"]
    assert hits(project, "UPSTREAM timeout") == ["output"]
    assert hits(project, "output.body.note:~timeout") == ["output"]
    assert hits(project, "args:upstream") == []
    assert hits(project, "error:451") == ["error"]
    assert hits(project, 'reason:"50 calls"') == ["reason"]
    assert index_differences() == []


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("output.n:>=500", [500, 503, 1e30]),
        ("output.n:>500", [503, 1e30]),
        ("output.n:<=0", [-7, 0]),
        ("output.n:<0.3", [-7, 0, 0.25]),
        ("output.n:>0", [0.25, 42, 499, 500, 503, 1e30]),
        ("output.n:>=-7", [-7, 0, 0.25, 42, 499, 500, 503, 1e30]),
        ("output.n:503", [503]),
        ("output.n:0.25", [0.25]),
        ("503", [503]),
        ("output.n:* -output.n:>0", [-7, 0]),
    ],
)
def test_numbers_are_compared(project, agent: Agent, text, result):
    numbers = [-7, 0, 0.25, 42, 499, 500, 503, 1e30]
    agent.post(*(an_outcome(str(n), output={"n": n, "x": 1}) for n in numbers))
    run_waiting_indexes()
    assert sorted(float(each) for each in hits(project, text)) == result


def test_names_verdicts_and_negation_filter_the_hits(project, agent: Agent):
    agent.post(
        an_outcome("a", tool_name="crm_lookup", output="late", principal={"user_id": "nord"}),
        an_outcome("b", tool_name="crm_lookup", type="failure", error="late", session_id="s-9"),
        an_outcome("c", tool_name="mail", output="late", elapsed_ms=900.0),
    )
    run_waiting_indexes()
    assert set(hits(project, "late tool:crm_lookup")) == {"a", "b"}
    assert hits(project, "late -tool:CRM_lookup") == ["c"]
    assert set(hits(project, "tool:~crm")) == {"a", "b"}
    assert hits(project, "principal:Nord late") == ["a"]
    assert set(hits(project, "late -principal:nord")) == {"b", "c"}
    assert hits(project, "verdict:failure") == ["b"]
    assert hits(project, "session:s-9") == ["b"]
    assert hits(project, "type:failure late") == ["b"]
    assert hits(project, "took:>=900") == ["c"]
    assert set(hits(project, "-mail late")) == {"a", "b"}
    assert set(hits(project, "crm_look")) == {"a", "b"}  # a part of a name
    assert hits(project, "s-9") == ["b"]


def test_a_call_is_reindexed_when_its_output_arrives(project, agent: Agent):
    agent.post_events(an_event("call_allowed", "c-1", tool_args={"q": "first"}))
    run_waiting_indexes()
    assert (hits(project, "first"), hits(project, "arrived")) == (["c-1"], [])
    agent.post(an_outcome("c-1", output="arrived", timestamp="2026-11-18T05:00:00Z"))
    run_waiting_indexes()
    assert (hits(project, "arrived"), hits(project, "args.q:first")) == (["c-1"], ["c-1"])
    assert index_differences() == []
    assert not UnindexedEvents.objects.exists()


def test_masked_values_are_not_in_the_index(project, agent: Agent):
    agent.post(
        an_outcome("c-1", tool_args={"password": "hunter2secret", "n": 1}, output="hunter2secret"),
        an_outcome("c-2", type="failure", error=f"key {TOKEN} refused"),
    )
    run_waiting_indexes()
    for guess in (
        "hunter2secret",
        "hunter",
        "args.password:hunter2secret",
        "args.password:~hunter2secret",
        "args:hunter2secret",
        "abcdefghijklmnopqrstuvwx0123456789",
        "sk-abc",
        "error:sk",
    ):
        assert hits(project, guess) == [], guess
    assert hits(project, "error:refused") == ["c-2"]


def test_deleting_a_session_removes_its_calls_from_the_index(project, admin_client, agent: Agent):
    agent.post(an_outcome("c-1", session_id="s-1", output="gone"), an_outcome("c-2", output="here"))
    run_waiting_indexes()
    assert agent.client.delete("/v1/agent-sessions/s-1").status_code == 202
    run_waiting_removals()
    assert (hits(project, "gone"), hits(project, "here")) == ([], ["c-2"])
    assert IndexedCall.objects.count() == 1
    assert index_differences() == []


def test_calls_recorded_before_the_index_existed_are_indexed(project, agent: Agent, monkeypatch):
    monkeypatch.setattr(indexing, "CALLS_PER_COMMIT", 3)
    agent.post(*(an_outcome(f"c-{n}", output=f"word{n}") for n in range(10)))
    UnindexedEvents.objects.all().delete()  # as after an upgrade from an older version
    run_waiting_indexes()
    assert all(hits(project, f"word{n}") == [f"c-{n}"] for n in range(10))
    assert SearchIndex.objects.get().before == 0


def test_calls_queued_for_indexing_are_indexed_once(project, agent: Agent):
    agent.post(*(an_outcome(f"c-{n}", output="word") for n in range(3)))
    waiting_indexes()
    assert SearchIndex.objects.get().before == 0  # no call is older than the queue
    run_waiting_indexes()
    assert set(hits(project, "word")) == {"c-0", "c-1", "c-2"}
    assert index_differences() == []


def test_an_interrupted_step_is_repeated(project, agent: Agent, monkeypatch):
    agent.post(*(an_outcome(f"c-{n}", output=f"word{n}") for n in range(4)))
    (number,) = waiting_indexes()
    index = claimed_index(number)

    def killed(*_: object) -> None:
        raise SystemExit

    monkeypatch.setattr(indexing, "packed", killed)
    with pytest.raises(SystemExit):
        indexing.index_some(index, Pace())
    assert not Posting.objects.exists()
    monkeypatch.undo()
    jobs.put_back(index)
    run_waiting_indexes()
    assert hits(project, "word3") == ["c-3"]
    assert index_differences() == []


def test_a_process_that_lost_its_lease_writes_nothing(project, agent: Agent):
    agent.post(an_outcome("c-1", output="word"))
    (number,) = waiting_indexes()
    index = claimed_index(number)
    SearchIndex.objects.update(status=SearchIndex.Status.QUEUED)
    with pytest.raises(indexing.LeaseLost):
        indexing.index_some(index, Pace())
    assert not IndexedCall.objects.exists()
    run_index(number)
    assert hits(project, "word") == ["c-1"]


def test_the_number_of_postings_for_one_call_is_bounded(project, agent: Agent):
    output = {f"field{n}": f"value {n} of many {'x' * n}" for n in range(1_000)}
    agent.post(an_outcome("c-1", output=output, tool_args={"n": list(range(1_000))}))
    run_waiting_indexes()
    assert 50 < Posting.objects.count() <= 100 + 2 * 50 * 3


def test_hits_are_paginated_completely(project, agent: Agent):
    agent.post(
        *(
            an_outcome(f"c-{n}", output="same", timestamp=f"2026-11-18T06:00:0{n // 2}Z")
            for n in range(7)
        )
    )
    run_waiting_indexes()
    result, place = [], None
    while True:
        page = search(project.pk, parse("same"), ANY_CALL, size=2, before=place)
        result += [row.call_id for row in page.rows]
        place = page.end
        if place is None:
            break
    assert sorted(result) == [f"c-{n}" for n in range(7)]
    times = dict(Call.objects.values_list("call_id", "at"))
    assert result == sorted(result, key=lambda each: times[each], reverse=True)


def test_search_results_are_limited_to_one_project(project, agent: Agent):
    agent.post(an_outcome("c-1", output="word"))
    run_waiting_indexes()
    assert search(project.pk + 1, parse("word"), ANY_CALL, size=5).rows == []


def test_postings_are_read_from_their_index_in_order(project, agent: Agent):
    agent.post(an_outcome("c-1", output="word"))
    run_waiting_indexes()
    with connection.cursor() as cursor:
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        if connection.vendor == "postgresql":
            cursor.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        cursor.execute(f"{explain} {_POSTINGS.format(0)}", [5, 0, 9, 9, 9, 10])
        plan = str(cursor.fetchall())
    assert "outcomes_posting" in plan
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan


def test_text_that_no_column_can_store_is_indexed(project, agent: Agent):
    odd = "a\0b \ud83d half"
    agent.post(
        an_outcome("c-1", tool_args={"x": "a\0b word"}, principal={"user_id": "a\0b"}),
        an_outcome("c-2", output={"x": "word", "big": 10**40, "tiny": 1e-320, "text": "9" * 5_000}),
        an_outcome("c-3", output=["word", odd], principal={"user_id": odd}),
    )
    run_waiting_indexes()
    assert SearchIndex.objects.get().error == ""
    assert set(hits(project, "word")) >= {"c-1", "c-2"}
    assert hits(project, "output.big:>1000000000") == ["c-2"]
    assert index_differences() == []

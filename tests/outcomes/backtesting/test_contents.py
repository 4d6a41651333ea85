"""Rows of calls and the values of their events, as backtests read them."""

from datetime import datetime

import msgspec
import pytest

from outcomes.backtesting.replay.contents import Content, contents_of
from outcomes.backtesting.replay.rows import Rows
from outcomes.core.moments import micros_of
from outcomes.models import Agent, Call
from tests import builders


def rows():
    return Rows().of(Call.objects.order_by("call_id"))


def texts_of(content):
    texts = (content.arguments, content.principal, content.output)
    return [None if each is None else msgspec.json.decode(each) for each in texts]


def ran(call_id, **fields):
    return builders.an_outcome(call_id=call_id, tool_name="shell", **fields)


def test_a_row_has_the_call_time_to_the_microsecond(project, agent):
    moments = ["2026-11-18T06:00:00Z", "2026-11-18T06:00:00.000001Z", "2026-02-28T23:59:58.25Z"]
    agent.post(*[ran(f"c-{place}", timestamp=at) for place, at in enumerate(moments)])
    at = [micros_of(datetime.fromisoformat(moment)) for moment in moments]
    assert (
        [row.at for row in rows()]
        == at
        == [micros_of(row.at) for row in Call.objects.order_by("call_id")]
    )


def test_a_row_names_its_agent_and_tool_if_they_still_exist(project, agent):
    agent.post(ran("c-1", agent_id="bot"))
    assert [(row.agent, row.tool) for row in rows()] == [("bot", "shell")]
    Agent.objects.all()._raw_delete(using=Agent.objects.db)
    assert [(row.agent, row.tool) for row in rows()] == [("", "shell")]


@pytest.mark.parametrize("output", [None, False, 0, "", [], {}, "text", {"error": "no"}])
def test_a_row_records_that_an_output_was_stored_whatever_its_value(project, agent, output):
    agent.post(ran("c-1", output=output))
    (row,) = rows()
    assert row.has_output
    assert texts_of(contents_of([row])[0])[2] == output


def test_a_row_records_that_no_output_was_stored(project, agent):
    reported = {"artifact_id": "a", "summary": "s"}
    agent.post(
        ran("c-1"),
        ran("c-2", type="failure", error="no"),
        ran("c-3", type="denied", reason="contract"),
        ran("c-4", type="artifact_reference", **reported),
        ran("c-5", output="x" * 100_000),
    )
    agent.post_events(builders.an_event("call_executed", "c-6", tool_name="shell"))
    result = rows()
    assert [row.has_output for row in result] == [False] * 6
    assert [content.output for content in contents_of(result)] == [None] * 6


def test_stored_values_belong_to_their_call_in_any_row_order(project, agent):
    by = {"role": "r", "user_id": "u"}
    agent.post(
        ran("c-1", tool_args={"a": 1.50}, principal=by, output=["é"]), ran("c-2", tool_args=None)
    )
    first, second = rows()
    assert [texts_of(each) for each in contents_of([second, first])] == [
        [None, None, None],
        [{"a": 1.5}, by, ["é"]],
    ]


def test_equal_events_are_read_once_and_differing_ones_are_merged(project, agent):
    for action, arguments in (("call_allowed", {"a": 1}), ("call_executed", {"a": 1})):
        agent.post_events(builders.an_event(action, "c-1", tool_name="t", tool_args=arguments))
    agent.post(ran("c-2", tool_args={"a": 1}, output=1), ran("c-2", tool_args={"a": 2}, output=2))
    first, second = rows()
    stands = agent.outcome("c-2")
    assert texts_of(contents_of([first])[0]) == [
        {"a": 1},
        texts_of(contents_of([first])[0])[1],
        None,
    ]
    assert texts_of(contents_of([second])[0])[::2] == [stands["tool_args"], stands["output"]]


def test_a_payload_field_of_a_posted_outcome_is_not_an_sdk_payload(project, agent):
    agent.post(ran("c-1", tool_args=None, payload={"tool_args": {"a": 1}}))
    assert contents_of(rows()) == [Content()]


def test_calls_with_the_same_id_in_two_environments_are_distinct(project, agent):
    elsewhere = builders.bearing(builders.a_key(project, "ingest", env="staging")[0])
    agent.post(ran("c-1", tool_args={"a": 1}))
    type(agent)(elsewhere).post(ran("c-1", tool_args={"a": 2}))
    result = Rows().of(Call.objects.order_by("id"))
    assert [texts_of(each)[0] for each in contents_of(result)] == [{"a": 1}, {"a": 2}]

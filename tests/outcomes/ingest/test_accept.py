"""Ingest: each invalid item is rejected individually and stored; the other items are accepted."""

import gzip
import json

import pytest
from django.test import Client

from outcomes.models import Batch, Event, RejectedItem
from outcomes.record.wire import MAX_BODY, MAX_ITEMS
from outcomes.record.wire.body import MAX_CONTAINERS
from tests import builders
from tests.builders import an_event, an_outcome
from tests.outcomes.posting import Agent, codes, settle

GOOD = json.dumps(an_outcome("before")).encode()
GOOD_TOO = json.dumps(an_outcome("after")).encode()


def item(**fields: object) -> bytes:
    return json.dumps(an_outcome("bad") | fields).encode()


def item_with_output(raw: bytes) -> bytes:
    return b'{"type": "execution_result", "call_id": "bad", "tool_name": "t", "output": %s}' % raw


def item_with_own(raw: bytes) -> bytes:
    """An item with a field that is not part of the format."""
    return b'{"type": "timeout", "call_id": "bad", "tool_name": "t", "own": %s}' % raw


BAD_OUTCOMES = {
    "no call id": (b'{"type": "timeout", "tool_name": "t"}', "missing_field"),
    "no tool": (b'{"type": "timeout", "call_id": "bad"}', "missing_field"),
    "no type": (b'{"call_id": "bad", "tool_name": "t"}', "missing_field"),
    "a denial without reason": (item(type="denied"), "missing_field"),
    "a reference without artifact": (item(type="artifact_reference"), "missing_field"),
    "a type of its own": (item(type="success"), "unknown_type"),
    "a number as id": (item(call_id=7), "wrong_type"),
    "a text as principal": (item(principal="root"), "wrong_type"),
    "a text as measure": (item(elapsed_ms="41"), "wrong_type"),
    "no object": (b'"an item"', "wrong_type"),
    "null": (b"null", "wrong_type"),
    "an empty id": (item(call_id=""), "wrong_length"),
    "an id of 1,025 characters": (item(call_id="c" * 1_025), "wrong_length"),
    "an agent of 129 characters": (item(agent_id="a" * 129), "wrong_length"),
    "NUL in the call id": (item(call_id="a\0b"), "nul_in_identifier"),
    "NUL in the tool": (item(tool_name="a\0b"), "nul_in_identifier"),
    "NUL in the session": (item(session_id="a\0b"), "nul_in_identifier"),
    "NUL in the agent": (item(agent_id="a\0b"), "nul_in_identifier"),
    "NUL in the turn": (item(turn_id="a\0b"), "nul_in_identifier"),
    "NUL in the reason": (item(type="denied", reason="a\0b"), "nul_in_identifier"),
    "the year 9999": (item(timestamp="9999-12-31T23:59:59-12:00"), "invalid_time"),
    "tomorrow's tomorrow": (item(timestamp="2990-01-01T00:00:00Z"), "time_out_of_range"),
    "the last century": (item(timestamp="1999-12-31T23:59:59Z"), "time_out_of_range"),
    "a day that is none": (item(timestamp="2026-02-30T00:00:00Z"), "invalid_time"),
    "the year 0": (item(timestamp="0000-01-01T00:00:00Z"), "invalid_time"),
    "a number as time": (item(timestamp=1_780_000_000), "wrong_type"),
    "a lone surrogate": (item_with_output(rb'"\ud800"'), "lone_surrogate"),
    "NaN": (item_with_output(b"NaN"), "not_a_number"),
    "Infinity": (item_with_output(b"-Infinity"), "not_a_number"),
    "1e400": (item_with_output(b"1e400"), "number_out_of_range"),
    "200 levels of lists": (item_with_output(b"[" * 200 + b"]" * 200), "too_deep"),
    "200 levels of objects": (item_with_output(b'{"a":' * 200 + b"1" + b"}" * 200), "too_deep"),
    "1,000 levels": (item_with_output(b"[" * 1_000 + b"]" * 1_000), "too_deep"),
    "100,000 levels beside brackets in texts": (
        item_with_own(rb'"]}\"[", "output": ' + b'{"a":[' * 50_000 + b"1" + b"]}" * 50_000),
        "too_deep",
    ),
    "200 levels under a key that nobody knows": (
        item_with_own(b"[" * 200 + b"]" * 200),
        "too_deep",
    ),
    "text that is not UTF-8 under a key that nobody knows": (
        item_with_own(b'"\xff"'),
        "not_utf8",
    ),
    "1e400 under a key that nobody knows": (item_with_own(b"1e400"), "number_out_of_range"),
    "5,000 digits under a key that nobody knows": (
        item_with_own(b"7" * 5_000),
        "number_out_of_range",
    ),
    "the 101st level": (item_with_output(b"[" * 100 + b"]" * 100), "too_deep"),
    "text that is not UTF-8": (item_with_output(b'"\xff\xfe"'), "not_utf8"),
    "an integer of 5,000 digits": (item_with_output(b"7" * 5_000), "number_out_of_range"),
}

BAD_EVENTS = {
    "no action": (b'{"call_id": "bad", "tool_name": "t"}', "missing_field"),
    "no tool": (b'{"call_id": "bad", "action": "call_executed"}', "missing_field"),
    "an action of its own": (json.dumps(an_event("call_dreamt")).encode(), "unknown_action"),
    "a list": (b"[]", "wrong_type"),
    "NUL in the session": (json.dumps(an_event(run_id="a\0b")).encode(), "nul_in_identifier"),
    "the year 9999": (
        json.dumps(an_event(timestamp="9999-12-31T23:59:59.9-12:00")).encode(),
        "invalid_time",
    ),
    "NaN in the arguments": (
        b'{"action": "call_executed", "call_id": "c", "tool_name": "t", "tool_args": {"x": NaN}}',
        "not_a_number",
    ),
    "200 levels": (
        b'{"action": "call_executed", "call_id": "c", "tool_name": "t", "tool_args": %s}'
        % (b"[" * 200 + b"]" * 200),
        "too_deep",
    ),
}


@pytest.mark.parametrize("why", BAD_OUTCOMES)
def test_only_the_invalid_outcome_of_a_post_is_rejected(agent: Agent, why):
    raw, code = BAD_OUTCOMES[why]
    answered = agent.door_of_raw(GOOD, raw, GOOD_TOO)
    assert answered["accepted"] == 2
    assert codes(answered) == [(1, code)]
    assert answered["rejected"][0]["detail"]
    settle()
    assert {each["call_id"] for each in agent.outcomes()} == {"before", "after"}


@pytest.mark.parametrize("why", BAD_EVENTS)
def test_only_the_invalid_event_of_a_post_is_rejected(agent: Agent, why):
    raw, code = BAD_EVENTS[why]
    good = json.dumps(an_event(call_id="before")).encode()
    answered = agent.door_of_raw(good, raw, good, to="events")
    assert (answered["accepted"], codes(answered)) == (2, [(1, code)])


def test_an_item_nested_100_levels_deep_is_accepted(agent: Agent):
    levels = b"[" * 99 + b"]" * 99
    assert not agent.door_of_raw(item_with_output(levels))["rejected"]
    event = b'{"action": "call_executed", "call_id": "c", "tool_name": "t", "tool_args": %s}'
    assert not agent.door_of_raw(event % levels, to="events")["rejected"]


def test_a_rejected_item_is_stored_with_its_position_and_beginning(agent: Agent):
    agent.door_of_raw(GOOD, item(type="success"), GOOD_TOO)
    rejected_item = RejectedItem.objects.get()
    assert (rejected_item.index, rejected_item.code, rejected_item.source) == (
        1,
        "unknown_type",
        "outcomes",
    )
    assert bytes(rejected_item.excerpt).startswith(b'{"type": "success"')


@pytest.mark.parametrize("output", [b"NaN", rb'"\ud800"'])
def test_invalid_json_is_stored_as_sent(agent: Agent, output):
    agent.door_of_raw(item_with_output(output))
    assert bytes(RejectedItem.objects.get().excerpt) == item_with_output(output)


def test_all_invalid_items_of_a_post_are_reported_in_order(agent: Agent):
    bad = list(BAD_OUTCOMES.values())
    answered = agent.door_of_raw(*(raw for raw, _ in bad))
    assert answered["accepted"] == 0
    assert answered["batch"] is None
    assert [index for index, _ in codes(answered)] == list(range(len(bad)))
    assert RejectedItem.objects.count() == len(bad)
    assert not Batch.objects.exists()


def test_the_last_of_duplicate_keys_wins(agent: Agent):
    agent.door_of_raw(
        b'{"type": "timeout", "type": "execution_result", "call_id": "a", "call_id": "twice",'
        b' "tool_name": "t", "output": 1, "output": 2}'
    )
    settle()
    assert agent.outcome("twice")["output"] == 2
    assert agent.outcome("twice")["type"] == "execution_result"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "not_json"),
        (b"no JSON", "not_json"),
        (b'{"outcomes": [', "not_json"),
        (b'{"outcomes": []', "not_json"),
        (b'{"outcomes": ' + b"[" * 10**5, "too_deep"),
        (b'{"outcomes": [' + b"[" * 1_100_000 + b"]" * 1_100_000 + b"]}", "too_deep"),
    ],
    ids=["nothing", "no JSON", "no end", "no end of the whole", "only begins", "too long to cut"],
)
def test_an_unreadable_body_is_rejected(agent: Agent, body, code):
    response = agent.send("outcomes", body)
    assert (response.status_code, response.json()["code"]) == (400, code)


@pytest.mark.parametrize("body", [b"[]", b"7", b'{"events": []}', b'{"outcomes": {}}'])
def test_a_body_of_another_shape_is_rejected(agent: Agent, body):
    response = agent.send("outcomes", body)
    assert (response.status_code, response.json()["code"]) == (422, "wrong_shape")


def test_a_post_of_ten_thousand_items_is_accepted_and_a_larger_one_rejected(agent: Agent):
    minimal = b'{"type": "timeout", "call_id": "c", "tool_name": "t"}'
    response = agent.send("outcomes", _body([minimal] * (MAX_ITEMS + 1)))
    assert (response.status_code, response.json()["code"]) == (413, "too_many_items")
    assert not Batch.objects.exists()
    assert agent.door_of_raw(*[minimal] * MAX_ITEMS)["accepted"] == MAX_ITEMS
    assert Batch.objects.count() == 10
    assert not Batch.objects.filter(items__gt=1_000).exists()


def test_a_gzip_body_is_decompressed(agent: Agent):
    agent.door(gzip.compress(_body([GOOD])), **{"Content-Encoding": "gzip"})
    settle()
    assert agent.outcome("before")["tool_name"] == "http_get"


def test_a_gzip_bomb_is_rejected_and_nothing_stored(agent: Agent):
    bomb = gzip.compress(_body([GOOD]) + b" " * MAX_BODY)
    assert len(bomb) < 100_000
    response = agent.send("outcomes", bomb, **{"Content-Encoding": "gzip"})
    assert (response.status_code, response.json()["code"]) == (413, "too_large")
    assert not Batch.objects.exists()


def test_concatenated_gzip_members_are_one_body_up_to_a_limit(agent: Agent):
    body = _body([GOOD])
    halves = gzip.compress(body[:20]) + gzip.compress(body[20:])
    agent.door(halves, **{"Content-Encoding": "gzip"})
    response = agent.send("outcomes", gzip.compress(b"") * 20_000, **{"Content-Encoding": "gzip"})
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("odd", [b"", b", NaN"], ids=["JSON", "almost JSON"])
def test_a_body_that_would_expand_in_memory_is_rejected_before_parsing(agent: Agent, odd):
    lists = b'{"outcomes": [%s[]%s]}' % (b"[]," * (MAX_CONTAINERS + 1), odd)
    response = agent.send("outcomes", lists)
    assert response.status_code == 413
    response = agent.send("outcomes", b'{"outcomes": [[%s[]]%s]}' % (b"[]," * MAX_CONTAINERS, odd))
    assert (response.status_code, response.json()["code"]) == (413, "too_many_values")
    assert not Batch.objects.exists()


def test_brackets_in_strings_are_not_counted_as_containers(agent: Agent):
    text = '[{"\\' * MAX_CONTAINERS
    assert agent.door_of_raw(item(output=text))["accepted"] == 1


@pytest.mark.parametrize(
    "body", [b"no gzip", gzip.compress(b'{"outcomes": []}')[:-9]], ids=["other", "cut"]
)
def test_an_invalid_gzip_body_is_rejected(agent: Agent, body):
    response = agent.send("outcomes", body, **{"Content-Encoding": "gzip"})
    assert (response.status_code, response.json()["code"]) == (400, "not_gzip")


def test_an_unknown_encoding_is_rejected(agent: Agent):
    response = agent.send("outcomes", b"", **{"Content-Encoding": "br"})
    assert response.status_code == 415


NUL_VALUES = {"output": {"text": "a\0b", "a\0key": ["\0"]}, "tool_args": {"q": "\0"}}


def test_nul_characters_in_values_are_stored_exactly(agent: Agent):
    agent.post(an_outcome("nul", **NUL_VALUES, metadata={"\0": "\0"}))
    result = agent.outcome("nul")
    assert {name: result[name] for name in NUL_VALUES} == NUL_VALUES
    assert result["metadata"] == {"\0": "\0"}


def test_nul_characters_in_errors_and_details_are_stored_exactly(agent: Agent):
    agent.post(
        an_outcome("failed", type="failure", error="a\0b"),
        an_outcome("denied", type="denied", reason="pre_hook", details="\0"),
    )
    assert agent.outcome("failed")["error"] == "a\0b"
    assert agent.outcome("denied")["details"] == "\0"


def test_numbers_and_text_round_trip_unchanged(agent: Agent):
    output = [0.1, 1e300, -0.0, 2**53 + 1, 2**63 - 1, "é 💶 \u2028", "", None, True, {"": {}}]
    agent.post(an_outcome("values", output=output))
    assert agent.outcome("values")["output"] == output


def test_an_invalid_neighbor_does_not_change_how_an_item_is_read(agent: Agent):
    good = item_with_output(
        rb'[1e2, -0, -0.0, 0.1, 1E+5, 12345678901234567890123, "\u00e9\u0000\ud83d\udcb6"]'
    )
    agent.door_of_raw(good)
    agent.door_of_raw(good, item_with_output(b"NaN"))
    agent.door_of_raw(item_with_output(rb'"\udfff"'), good)
    settle()
    assert len(agent.outcome("bad")["events"]) == 1


def test_an_event_without_a_call_id_is_a_separate_call(agent: Agent):
    entry = {
        "timestamp": "2026-11-18T06:00:00Z",
        "tool_name": "bash",
        "decision": "BLOCK",
        "user": "somebody",
        "reason": "not here",
    }
    agent.post_events(entry, entry, entry | {"decision": "allow"})
    kinds = sorted(each["type"] or "open" for each in agent.outcomes())
    assert kinds == ["denied", "open"]


def test_only_the_beginning_of_a_large_rejected_item_is_stored(agent: Agent):
    agent.door_of_raw(item(type="success", output="x" * 100_000))
    assert len(bytes(RejectedItem.objects.get().excerpt)) == 1_000


def test_the_agent_header_applies_to_items_without_an_agent(project):
    text, _ = builders.a_key(project, "agent", "manage")
    agent = Agent(Client(headers={"Authorization": f"Bearer {text}", "X-Edictum-Agent-Id": "ops"}))
    agent.post(an_outcome("header"), an_outcome("own", agent_id="billing-bot"))
    assert agent.outcome("header")["agent_id"] == "ops"
    assert agent.outcome("own")["agent_id"] == "billing-bot"


def test_accepted_items_are_stored_before_the_response_and_processed_after_it(agent: Agent):
    agent.door_of_raw(GOOD)
    assert Batch.objects.count() == 1
    assert not Event.objects.exists()
    settle()
    assert not Batch.objects.exists()
    assert Event.objects.count() == 1


def _body(items: list[bytes]) -> bytes:
    return b'{"outcomes": [%s]}' % b",".join(items)


def test_an_item_too_large_without_its_output_is_rejected(agent: Agent):
    large = "\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 600_000
    response = agent.post(an_outcome(error=large), an_outcome("c-1", output=large), an_outcome())
    assert [(each["index"], each["code"]) for each in response["rejected"]] == [(0, "too_large")]
    assert agent.outcome("c-1")["type"] == "artifact_reference"
    assert codes(agent.post_events(an_event("call_failed", error=large))) == [(0, "too_large")]

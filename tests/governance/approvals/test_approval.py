"""Approval requests: values, status at a given time, and displayed arguments."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from governance.approvals.domain import Request, as_text, digest_of, is_deeper_than, shown_arguments
from governance.core.approval_status import OnTimeout, Status, status_at
from governance.core.json_value import Json

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
REQUEST = Request(
    agent_id="billing-bot",
    tool_name="payments_charge",
    tool_args={"account": "A-2091", "amount": 1240.0, "card_token": "tok-1"},
    message="large charge",
    session_id="s-1",
    timeout_s=300,
    on_timeout=OnTimeout.BLOCK,
)


@pytest.mark.parametrize("status", Status)
def test_an_agent_sees_every_approval_as_pending_until_it_ends(status):
    assert status_at(status, NOON, NOON - timedelta(microseconds=1)) is Status.PENDING
    ended = Status.TIMEOUT if status is Status.PENDING else status
    assert status_at(status, NOON, NOON) is ended


def test_argument_order_does_not_change_a_requests_digest():
    turned = dict(reversed(list(REQUEST.tool_args.items())))
    assert digest_of(replace(REQUEST, tool_args=turned)) == digest_of(REQUEST)


@pytest.mark.parametrize(
    "changed",
    [
        {"agent_id": "other"},
        {"tool_name": "other"},
        {"tool_args": {}},
        {"message": "other"},
        {"session_id": ""},
        {"timeout_s": 301},
        {"on_timeout": OnTimeout.ALLOW},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_any_change_to_a_request_changes_its_digest(changed):
    assert digest_of(replace(REQUEST, **changed)) != digest_of(REQUEST)


def test_arguments_are_displayed_as_json_with_secrets_masked():
    shown = shown_arguments(REQUEST.tool_args)
    assert [(each.name, each.text, each.masked) for each in shown] == [
        ("account", '"A-2091"', False),
        ("amount", "1240.0", False),
        ("card_token", '"[masked]"', True),
    ]
    assert [each.is_wholly_masked for each in shown] == [False, False, True]


def test_a_long_argument_is_truncated_and_reports_its_length():
    shown = shown_arguments({"text": "x" * 5_000} | {f"a{n}": n for n in range(50)})
    assert (len(shown), len(shown[0].text), shown[0].length) == (40, 1_000, 5_002)
    assert shown[0].is_cut


def test_a_secret_that_spans_the_truncation_point_is_masked():
    (shown,) = shown_arguments({"command": "x " * 490 + "Bearer " + "abcdef0123456789" * 9})
    assert "abcdef" not in shown.text


def test_opened_arguments_are_complete():
    shown = shown_arguments({**REQUEST.tool_args, "text": "x" * 5_000}, opened=True)
    assert [len(each.text) for each in shown] == [8, 6, 7, 5_002]
    assert not any(each.masked or each.is_cut for each in shown)


def test_characters_the_database_rejects_are_displayed_as_escapes():
    (shown,) = shown_arguments({"a\0\ud800": "b\0\ud800"})
    stored = json.dumps([shown.name, shown.text])
    assert "\\u0000" not in stored.replace("\\\\u0000", "")
    assert "\\ud800" not in stored


def test_the_stored_text_restores_the_same_arguments():
    fields = {"ü\0\ud800": [1.5, 2**70, None, True, {"": "\U0001f600"}]}
    text = as_text(fields)
    assert text.isascii()
    assert json.loads(text) == fields


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_non_json_numbers_are_rejected(number):
    with pytest.raises(ValueError, match="JSON"):
        as_text({"a": number})


def test_depth_counts_nested_lists_and_objects():
    deep: Json = []
    for _ in range(99):
        deep = [deep]
    assert not is_deeper_than({"a": deep}, 100)
    assert is_deeper_than({"a": [deep]}, 100)


def test_a_secret_argument_is_masked_where_another_argument_repeats_it():
    shown = shown_arguments({"note": "log in with correct-horse", "password": "correct-horse"})
    assert [each.text for each in shown] == ['"log in with [masked]"', '"[masked]"']
    assert [each.masked for each in shown] == [True, True]

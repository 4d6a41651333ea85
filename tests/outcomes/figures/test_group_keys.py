"""Group keys of failures and denials, without details that vary between calls."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.core.groups import DENIED, FAILURE, LONGEST
from outcomes.figures.domain.groups import grouping, normalised

PARTS = [*"aZ1f #…\"'`/\\.,:;@-_+~<>(\n\0é٣", "http://", "://", "@a.b", "12", "…@…", "HTTP 500"]
texts = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


def a_group(**fields):
    nothing: dict[str, Any] = {
        "kind": "execution_result", "verdict": "failure", "tool": 3, "agent": 7, "reason": "",
        "detail": "", "rule": "", "check": "", "check_rule": "", "check_words": "",
    }  # fmt: skip
    return grouping(**nothing | fields)


@pytest.mark.parametrize(
    ("one", "other", "general"),
    [
        ('Row 17 of "users" is locked', 'Row 4,093 of "x y" is locked', 'Row # of "…" is locked'),
        ("can't open 'a.txt'", "can't open 'b'", "can't open '…'"),
        ("timeout at 2026-11-18T23:55:08.1Z", "timeout at 2025-01-02", "timeout at #"),
        ("refused 10.0.0.7:5432", "refused 192.168.1.1:80", "refused #"),
        ("no /var/log/x.log here", r"no C:\logs\y here", "no /… here"),
        ("http://a.example/b?c=1 is down", "http://d.example is down", "http://… is down"),
        ("jane@example.test bounced", "joe.b@mail.example bounced", "…@… bounced"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id deadbeef01", "id #"),
        ("toolu_01AbcD  failed", "toolu_9fQ\nfailed", "toolu_# failed"),
        ("worker12 died", "worker7 died", "worker# died"),
    ],
)
def test_details_that_vary_between_calls_are_normalized(one, other, general):
    assert normalised(one) == normalised(other) == general


def test_details_that_distinguish_reasons_are_preserved():
    texts = ["HTTP 404", "HTTP 500", "and/or", "no such table", "no such column", ""]
    assert [normalised(text) for text in texts] == texts


@given(texts)
def test_normalization_is_idempotent_and_removes_all_digits_except_http_statuses(text):
    once = normalised(text)
    assert normalised(once) == once
    assert len(once) <= LONGEST
    assert not re.search(r"\d", once.replace("HTTP 500", ""))


def test_only_failed_and_denied_calls_belong_to_a_group():
    assert a_group(verdict="success") is None
    assert a_group(verdict="unknown") is None
    assert a_group(kind="", verdict="") is None
    failed, denied = a_group(), a_group(kind="denied", verdict="")
    assert failed
    assert denied
    assert (failed.of, failed.agent) == (FAILURE, 0)
    assert (denied.of, denied.agent) == (DENIED, 7)


def test_the_message_of_the_check_takes_precedence_over_the_agents():
    fields_given = {"kind": "failure", "detail": "agent 1"}
    assert a_group(**fields_given).text == "agent #"
    assert a_group(**fields_given, check_words="check 2").text == "check #"
    assert a_group(kind="artifact_reference", detail="a summary").text == ""

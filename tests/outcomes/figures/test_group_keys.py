"""Groups of failures and denials, whatever differs from call to call."""

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
def test_what_differs_from_call_to_call_is_left_out(one, other, general):
    assert normalised(one) == normalised(other) == general


def test_what_tells_reasons_apart_stays():
    texts = ["HTTP 404", "HTTP 500", "and/or", "no such table", "no such column", ""]
    assert [normalised(text) for text in texts] == texts


@given(texts)
def test_a_normal_form_is_its_own_and_holds_no_digit_but_those_of_a_status(text):
    once = normalised(text)
    assert normalised(once) == once
    assert len(once) <= LONGEST
    assert not re.search(r"\d", once.replace("HTTP 500", ""))


def test_only_what_failed_or_was_denied_belongs_to_a_group():
    assert a_group(verdict="success") is None
    assert a_group(verdict="unknown") is None
    assert a_group(kind="", verdict="") is None
    failed, denied = a_group(), a_group(kind="denied", verdict="")
    assert failed
    assert denied
    assert (failed.of, failed.agent) == (FAILURE, 0)
    assert (denied.of, denied.agent) == (DENIED, 7)


def test_the_check_has_priority_over_the_agent():
    fields_given = {"kind": "failure", "detail": "agent 1"}
    assert a_group(**fields_given).text == "agent #"
    assert a_group(**fields_given, check_words="check 2").text == "check #"
    assert a_group(kind="artifact_reference", detail="a summary").text == ""

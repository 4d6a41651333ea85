"""Cause on the session page: denial loops, folded calls, numbered turns, and a single call."""

import re
from typing import Any

import pytest

from tests.outcomes.pages import a_denied_item, an_item


@pytest.fixture
def loop(agent) -> dict[str, Any]:
    """A call that was denied eight times, with other calls in between."""
    repeated: dict[str, Any] = {
        "tool_args": {"id": 1},
        "decision_name": "no-queries",
        "details": "Use the index.",
    }
    agent.post(
        an_item(turn_id="t-1"),
        *(a_denied_item(turn_id="t-1", **repeated) for _ in range(4)),
        an_item(turn_id="t-2", tool_name="other"),
        *(a_denied_item(turn_id="t-2", **repeated) for _ in range(4)),
        a_denied_item(tool_args={"id": 2}, decision_name="no-queries"),
    )
    return repeated


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize(("show", "others"), [("", 3), ("denied", 1)])
def test_repeated_denied_calls_are_one_row_with_their_rule_under_every_filter(pages, show, others):
    text = pages.session("s-1", show=show)
    assert "2\N{EN DASH}10 query id: 1 Denied 8 times no-queries" in text
    assert f"{others} of {others} other calls" in text
    assert len(pages.rows("sessions/s-1/", show=show)) == others
    assert '<tr class="fold" id="loop"' in pages.get("sessions/s-1/", show=show).text


@pytest.mark.usefixtures("loop")
def test_a_folded_row_links_to_its_individual_calls(pages):
    page = pages.get("sessions/s-1/").text
    (number,) = set(re.findall(r"loop=(\d+)#calls", page))
    assert len(pages.rows("sessions/s-1/", loop=number)) == 8
    assert "8 equal calls, newest first" in pages.session("s-1", loop=number)
    assert len(pages.rows("sessions/s-1/", loop="9" * 18)) == 3  # no such call


@pytest.mark.usefixtures("loop")
def test_a_loop_does_not_hide_failures(pages, agent):
    agent.post(an_item(tool_args=None, output="Error: no"))
    text = pages.session("s-1", show="failures")
    assert "1 of 1, newest first" in text
    assert "Denied 8 times" not in text


@pytest.mark.usefixtures("loop")
def test_a_stuck_session_explains_cause_message_and_next_steps(pages, agent):
    text = pages.session("s-1")
    assert "s-1 is stuck: query denied 8 times by no-queries" in text
    assert "same tool, same arguments, 8 of 9 denials query id: 1 Denied by no-queries" in text
    assert "with the message: Use the index. The agent got it 8 times" in text
    assert "1 other call denied · 2 other calls ran, 2 checked, no failures." in text
    assert "Stop the agent. It repeats the call every" in text
    part = pages.text("live/session/", of="s-1", environment="production")
    assert "Use the index." in part


def test_a_session_that_recovered_from_a_loop_is_not_stuck(pages, agent):
    agent.post(
        *(a_denied_item(tool_args={"id": 1}) for _ in range(3)), *(an_item() for _ in range(6))
    )
    text = pages.session("s-1")
    assert "s-1 : 3 of 9 calls denied" in text
    assert "What to do next" not in text


def test_turns_have_chart_numbers_and_include_denials_without_a_turn_id(pages, agent):
    agent.post(
        an_item(turn_id="t-1"),
        a_denied_item(turn_id=None),
        a_denied_item(turn_id=None, tool_args={"id": 2}),
        an_item(turn_id="t-7"),
    )
    text = pages.session("s-1")
    assert re.search(r"1 t-1 [\d:]+ call 1 1 1 0 0 2 · contract", text)
    assert re.search(r"2 t-7 [\d:]+ call 4 1 1 0 0 0", text)
    assert "2 calls without a turn ID, counted in the previous turn" in text


def test_a_session_of_one_call_is_a_table_with_one_row(pages, agent):
    agent.post(an_item())
    body = pages.get("sessions/s-1/").text
    cards = re.findall(r'class="card" id="([\w-]+)"', body)
    assert [card for card in cards if card != "notes"] == ["calls"]
    assert "s-1 is running: 1 call so far, verified as success" in pages.session("s-1")

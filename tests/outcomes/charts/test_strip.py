"""The session chart: one mark for each call while there is room, and no failure hidden."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.charts import Stop, Style, strip
from outcomes.charts.strip_marks import STYLES, marks_of, numbered
from outcomes.models import Call
from outcomes.record.brief_call import BriefCall
from tests.outcomes.charts.drawn import drawn, moderately, rarely

START = datetime(2026, 11, 18, tzinfo=UTC)
HOSTILE = "</title><script>alert('x')</script>\" onload=\"x & <b>"
KINDS = st.sampled_from(sorted(STYLES))
BYS = ["call", "time"]


def a_call(place=0, **changed):
    values = {
        "id": place, "call_id": f"c-{place}", "at": START + timedelta(seconds=3 * place),
        "turn_id": "", "kind": "execution_result", "reason": "", "detail": "", "rule": "",
        "tool": "look", "verdict": "success", "reported": "success", "elapsed_ms": 40.0,
        "idempotent": False, "blocks_tool": False, "arguments": None, "artifact_name": "",
        "artifact_sha256": None, "artifact_bytes": None,
    }  # fmt: skip
    return BriefCall(**(values | changed))


def a_strip(calls, **more):
    given_values: dict[str, Any] = {
        "says": "Calls.",
        "link": lambda call: f"?call={call.call_id}",
        "zone": UTC,
    }
    return strip(calls, **(given_values | more))


def marks(calls, by, at_most):
    return marks_of(numbered(calls, 1), by, at_most)


def test_every_outcome_type_has_a_style():
    assert set(STYLES) == set(Call.Kind.values)


@pytest.mark.parametrize("by", BYS)
@moderately
@given(kinds=st.lists(KINDS, max_size=300), at_most=st.integers(1, 60))
def test_every_call_is_in_exactly_one_mark_and_marks_do_not_overlap(by, kinds, at_most):
    shown_marks = marks([a_call(n, kind=kind) for n, kind in enumerate(kinds)], by, at_most)
    assert len(shown_marks) <= at_most
    assert [each.number for mark in shown_marks for each in mark.calls] == list(
        range(1, len(kinds) + 1)
    )
    edges = [edge for mark in shown_marks for edge in (mark.x, mark.x + mark.width)]
    assert all(before <= after + 1e-9 for before, after in pairwise(edges))
    assert all(-1e-9 <= edge <= 1 + 1e-9 for edge in edges)


@pytest.mark.parametrize("by", BYS)
@rarely
@given(bad=st.integers(0, 2_999))
def test_a_single_failure_among_thousands_is_visible(by, bad):
    calls = [a_call(n, kind="failure" if n == bad else "execution_result") for n in range(3_000)]
    shown = [mark for mark in marks(calls, by, 100) if mark.worst.style == Style.FAILURE]
    assert [mark.worst.number for mark in shown] == [bad + 1]


@pytest.mark.parametrize("by", BYS)
def test_a_strip_of_five_thousand_calls_has_a_bounded_size(by):
    kinds = sorted(STYLES)
    calls = [a_call(n, kind=kinds[n % len(kinds)], turn_id=f"t-{n // 9}") for n in range(5_000)]
    assert len(a_strip(calls, by=by)) < 320_000


def test_each_of_a_few_calls_is_a_link_with_a_description():
    calls = [
        a_call(0),
        a_call(1, kind="denied", reason="limit", verdict="", elapsed_ms=None),
        a_call(2, verdict="failure"),
    ]
    drawing = drawn(a_strip(calls))
    assert [each.attributes["href"] for each in drawing.all("a")] == [
        "?call=c-0",
        "?call=c-1",
        "?call=c-2",
    ]
    assert [each.words for each in drawing.all("title")] == [
        "Call 1 · look: executed, verdict success, 40 ms",
        "Call 2 · look: denied, limit",
        "Call 3 · look: executed, verdict failure, agent said success, 40 ms",
    ]


def test_only_the_first_mark_is_a_tab_stop():
    drawing = drawn(a_strip([a_call(n) for n in range(9)]))
    assert [each.attributes["tabindex"] for each in drawing.all("a")] == ["0"] + ["-1"] * 8


def test_executed_calls_are_drawn_above_the_axis_and_denied_calls_below():
    drawing = drawn(a_strip([a_call(0), a_call(1, kind="denied", verdict="")]))
    line = drawing.all("line", "axis-line")[0].number("y1")
    ran, denied = (drawing.all("rect", f"fill-{name}")[0] for name in ("executed", "denied"))
    assert ran.number("y") + ran.number("height") <= line < denied.number("y")


def test_a_failure_missed_by_the_agent_is_hatched_and_counted():
    drawing = drawn(a_strip([a_call(0, verdict="failure"), a_call(1)]))
    assert drawing.all("rect", "fill-unseen-failure")
    legend = next(each for each in drawing.all("div") if each.style == "legend")
    assert "agent missed it 1" in legend.words
    assert "verdict failure 1" in legend.words


def test_a_longer_call_has_a_taller_bar():
    calls = [a_call(n, elapsed_ms=took) for n, took in enumerate((1.0, 100.0, 9_000.0))]
    bars = [mark.number("height") for mark in drawn(a_strip(calls)).all("rect", "fill-executed")]
    assert bars == sorted(bars)
    assert bars[2] == 74


def test_the_limit_line_is_drawn_after_its_call():
    calls = [a_call(n) for n in range(50)]
    drawing = drawn(a_strip(calls, stop=Stop(number=40, words="limit reached at call 40")))
    assert drawing.all("line", "stop-line")[0].number("x1") == 80
    ground = drawing.all("rect", "after-stop")[0]
    assert (ground.number("x"), ground.number("width")) == (80, 20)
    assert "limit reached at call 40" in [each.words for each in drawing.all("text")]


def test_a_limit_outside_the_visible_range_is_not_drawn():
    drawing = drawn(a_strip([a_call(n) for n in range(5)], stop=Stop(number=40, words="limit")))
    assert not drawing.all("line", "stop-line")


def test_turns_are_numbered_where_there_is_room():
    calls = [a_call(n, turn_id=f"t-{n // 10}") for n in range(40)]
    texts = [each.words for each in drawn(a_strip(calls)).all("text")]
    assert texts == ["turn 1", "2", "3", "4"]
    crowded = [a_call(n, turn_id=f"t-{n}") for n in range(400)]
    assert len(drawn(a_strip(crowded)).all("text")) < 60


def test_calls_are_placed_by_time_on_request():
    calls = [a_call(n, at=START + timedelta(minutes=m)) for n, m in enumerate((0, 15, 60))]
    drawing = drawn(a_strip(calls, by="time"))
    assert [round(each.number("x")) for each in drawing.all("rect", "target")] == [0, 25, 100]
    assert any("00:30" in each.words for each in drawing.all("text"))


def test_external_names_are_escaped():
    drawing = drawn(a_strip([a_call(0, tool=HOSTILE, reason=HOSTILE)], says=HOSTILE))
    assert not drawing.all("script")
    assert not any("onload" in each.attributes for each in drawing.elements)


def test_a_strip_without_calls_says_so():
    assert "No call in this range" in [each.words for each in drawn(a_strip([])).all("text")]

"""Charts as rendered on pages: correct sums, escaped names, bounded size."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from outcomes.charts import (
    Counting,
    Level,
    NumberAxis,
    Point,
    Series,
    Style,
    TimeAxis,
    Unit,
    areas,
    columns,
    countings,
    hanging,
    lines,
    spark,
)
from tests.outcomes.charts.drawn import drawn, moderately

HOSTILE = "</title><script>alert('x')</script>\" onload=\"x & <b>"
NAMED: dict[str, Any] = {"name": "Outcomes", "says": "A sentence."}
START = datetime(2026, 11, 17, tzinfo=UTC)
LOOKS = (settings.BASE / "static" / "css" / "series.css").read_text()
VALUES = st.lists(st.none() | st.integers(0, 10**6), max_size=400)


def hours(number):
    edges = [START + timedelta(hours=place) for place in range(number + 1)]
    return TimeAxis(edges=edges if number else [], zone=UTC)


def row(values, style=Style.EXECUTED, name="Executed"):
    return Series(name=name, style=style, values=values)


def number_of(words):
    return int(words.replace(",", "").replace("\N{EN DASH}", "0"))


@pytest.mark.parametrize("draw", [columns, hanging, lines, areas])
@moderately
@given(values=VALUES)
def test_a_chart_of_any_values_is_well_formed_and_within_its_plot(draw, values):
    drawing = drawn(draw(hours(len(values)), [row(values)], **NAMED))
    plot = next(each for each in drawing.all("svg") if each.style == "plot")
    height = plot.number("height")
    for mark in drawing.all("rect", "fill-executed"):
        if mark.attributes["width"] != "8":
            assert -0.01 <= mark.number("y") <= height
            assert 0 <= mark.number("x") <= 100
    for shape in (*drawing.all("polyline"), *drawing.all("polygon")):
        for point in shape.attributes["points"].split():
            x, y = map(float, point.split(","))
            assert -0.01 <= x <= 100.01
            assert -0.01 <= y <= height + 0.01


@moderately
@given(VALUES, VALUES)
def test_the_table_of_a_column_chart_adds_up_to_its_input(above, below):
    steps = min(len(above), len(below))
    above, below = above[:steps], below[:steps]
    drawing = drawn(columns(hours(steps), [row(above)], [row(below, Style.DENIED)], **NAMED))
    for place, given_values in ((1, above), (2, below)):
        total = sum(number_of(cells[place]) for cells in drawing.rows())
        assert total == sum(value or 0 for value in given_values)


def test_the_height_of_a_column_is_its_sum_and_small_parts_stay_visible():
    rows = [row([900]), row([1], Style.TIMEOUT), row([0], Style.FAILURE), row([99], Style.ARTIFACT)]
    drawing = drawn(columns(hours(1), rows, **NAMED, height=100))
    marks = [mark for mark in drawing.all("rect") if mark.attributes["width"] != "8"]
    assert [mark.style for mark in marks] == ["fill-executed", "fill-timeout", "fill-artifact"]
    assert sum(mark.number("height") for mark in marks) == pytest.approx(100, abs=0.1)
    assert min(mark.number("height") for mark in marks) == 1.5


def test_denials_are_drawn_below_the_axis():
    drawing = drawn(columns(hours(1), [row([10])], [row([10], Style.DENIED)], **NAMED, height=100))
    assert drawing.all("rect", "fill-executed")[0].number("y") == 0
    assert drawing.all("rect", "fill-denied")[0].number("y") > 100


def test_denials_without_other_values_are_stacked_downward_from_the_top():
    rows = [row([6], Style.DENIED), row([4], Style.DENIED_SECOND)]
    drawing = drawn(hanging(hours(1), rows, **NAMED, height=100))
    first, second = (
        next(mark for mark in drawing.all("rect", style) if mark.attributes["width"] != "8")
        for style in ("fill-denied", "fill-denied-second")
    )
    assert first.number("y") == 0
    assert second.number("y") == pytest.approx(first.number("height"))
    assert first.number("height") + second.number("height") == pytest.approx(100)
    assert drawing.rows()[0][1:] == ["6", "4"]


@pytest.mark.parametrize("draw", [lines, areas])
def test_a_gap_is_not_drawn_as_zero(draw):
    drawing = drawn(draw(hours(5), [row([9, 9, None, 9, 9])], **NAMED))
    shapes = [
        shape
        for shape in (*drawing.all("polyline"), *drawing.all("polygon"))
        if "executed" in shape.style
    ]
    assert len(shapes) == 2
    assert [cells[1] for cells in drawing.rows()] == ["9", "9", "\N{EN DASH}", "9", "9"]


@pytest.mark.parametrize("draw", [columns, hanging, lines, areas])
def test_an_empty_chart_says_so_at_full_height(draw):
    empty, full = (drawn(draw(hours(n), [row([5] * n)], **NAMED)) for n in (0, 3))
    assert "Nothing in this range" in [words.words for words in empty.all("text")]
    assert empty.rows() == []
    heights = [
        [svg.attributes.get("height") for svg in each.all("svg", "plot")] for each in (empty, full)
    ]
    assert heights[0] == heights[1]


@pytest.mark.parametrize("draw", [columns, hanging, lines, areas])
def test_external_names_are_escaped(draw):
    text = draw(
        hours(2),
        [row([1, 2], name=HOSTILE)],
        name=HOSTILE,
        says=HOSTILE,
        link=lambda first, last: f"?q={HOSTILE}",
    )
    drawing = drawn(text)
    assert not drawing.all("script")
    assert not any("onload" in each.attributes for each in drawing.elements)
    assert drawing.all("desc")[0].words == HOSTILE
    assert "style=" not in text


@pytest.mark.parametrize("draw", [columns, hanging, lines, areas])
def test_a_chart_with_many_steps_has_a_bounded_size(draw):
    rows = [row([7] * 50_000, style) for style in (Style.EXECUTED, Style.ARTIFACT, Style.FAILURE)]
    assert len(draw(hours(50_000), rows, **NAMED)) < 120_000


def test_the_extremes_of_many_points_are_preserved():
    values = [500.0] * 9_000
    values[4_321], values[7_654] = 0.0, 1_000.0
    drawing = drawn(lines(hours(9_000), [row(values)], **NAMED, height=100))
    shown = [
        float(p.split(",")[1]) for p in drawing.all("polyline")[0].attributes["points"].split()
    ]
    assert (min(shown), max(shown)) == (0, 100)
    assert "0 to 500" in [cells[1] for cells in drawing.rows()]


def test_every_table_row_has_the_position_of_its_mark():
    drawing = drawn(columns(hours(4), [row([1, 2, 3, 4])], **NAMED))
    rows = [each for each in drawing.all("tr") if "data-x" in each.attributes]
    assert [each.number("data-x") for each in rows] == [12.5, 37.5, 62.5, 87.5]
    assert drawing.rows()[0] == ["Tue 17 Nov 00:00\N{EN DASH}01:00", "1"]


def test_a_column_links_to_the_rows_it_counts():
    drawing = drawn(
        columns(hours(3), [row([1, 2, 3])], **NAMED, link=lambda a, b: f"?from={a}&to={b}")
    )
    links = [each for each in drawing.all("a") if "tabindex" not in each.attributes]
    assert [each.attributes["href"] for each in links] == [
        "?from=0&to=0",
        "?from=1&to=1",
        "?from=2&to=2",
    ]


def test_daily_steps_are_labeled_without_a_clock_time():
    edges = [START + timedelta(days=place) for place in range(4)]
    axis = TimeAxis(edges=edges, zone=UTC)
    assert axis.words(0, 0) == "17 Nov"
    assert axis.words(0, 2) == "17 Nov \N{EN DASH} 19 Nov"


def test_axis_labels_do_not_overlap():
    for steps in (1, 5, 24, 90, 1_000):
        for axis in (hours(steps), NumberAxis(count=7 * steps)):
            ticks = axis.ticks()
            for width, shown in ((400, ticks), (270, [tick for tick in ticks if not tick.wide])):
                reach = [tick.reach(width) for tick in shown]
                assert all(a[1] <= b[0] for a, b in pairwise(reach)), (steps, width)
                assert shown


def test_a_call_number_axis_is_labeled_at_its_first_and_last_call():
    assert [tick.words for tick in NumberAxis(count=120).ticks()] == [
        "call 1",
        "50",
        "call 120",
    ]
    assert [tick.words for tick in NumberAxis(count=1, first=7).ticks()] == ["call 7"]
    assert NumberAxis(count=0).ticks() == []


def test_points_and_levels_are_labeled():
    text = lines(
        hours(4), [row([1, 2, 3, 4])], **NAMED,
        levels=[Level(value=8, words="a level")],
        points=[Point(step=3, value=4, style=Style.NOW, words="the last one")],
    )  # fmt: skip
    texts = [words.words for words in drawn(text).all("text")]
    assert "a level" in texts
    assert "the last one" in texts


def counting(counts, style=Style.EXECUTIONS, name="executions"):
    return Counting(name=name, style=style, counts=counts)


def test_a_ring_marks_where_a_limit_was_hit():
    drawing = drawn(countings([counting([1, 2, 3, 3])], limit=3, **NAMED))
    assert "executions reach 3 at call 3" in [words.words for words in drawing.all("text")]
    assert len(drawing.all("circle", "ring-executions")) == 1


def test_a_dashed_line_projects_at_which_call_successes_would_hit_the_limit():
    successes = counting([1, 1, 2, 2], Style.CLASSIFIED, "successes")
    drawing = drawn(
        countings([counting([1, 2, 3, 4]), successes], limit=4, projected=successes, **NAMED)
    )
    assert "6" in [words.words for words in drawing.all("text")]
    assert drawing.all("line", "line-projected")[0].number("x2") == 100


def test_a_limit_far_beyond_the_session_is_not_projected():
    few = counting([1, 2, 3], Style.CLASSIFIED, "successes")
    text = countings([few], limit=1_000_000, projected=few, **NAMED)
    assert "line-projected" not in text
    assert len(text) < 5_000


RATES = [0.97, 0.975, 0.98]


def test_sparklines_of_one_table_share_a_scale():
    alone, shared = (
        drawn(spark([0.97, 0.975, 0.98], says="s", among=among))
        .all("polyline")[0]
        .attributes["points"]
        for among in (None, (0.0, 1.0))
    )
    spread = [
        max(ys) - min(ys)
        for ys in ([float(p.split(",")[1]) for p in each.split()] for each in (alone, shared))
    ]
    assert spread[0] > 10 > 1 > spread[1]


def test_a_sparse_sparkline_has_at_most_one_line():
    sparse = [None, 0.5, None, None, 0.7, None, 0.6, None]
    (line,) = drawn(spark(sparse, says="s")).all("polyline")
    assert line.attributes["points"].count(",") == 3
    assert not drawn(spark([None, 0.5, None, 0.7], says="s")).all("polyline")


@moderately
@given(VALUES)
def test_a_sparkline_is_well_formed_and_small(values):
    assert len(drawn(spark(values * 9, says=HOSTILE)).all("title")) == 1
    assert len(spark(values * 9, says="s")) < 5_000


@pytest.mark.parametrize("style", Style)
def test_every_series_style_is_in_the_style_sheet(style):
    assert re.search(rf"\.(fill|line)-{style}\b", LOOKS)


@pytest.mark.parametrize("unit", Unit)
def test_a_line_chart_supports_every_unit(unit):
    assert drawn(lines(hours(3), [row([0.5, 0.7, 0.9])], unit=unit, **NAMED)).rows()

"""The components page on a development server: readable in both themes, by keyboard and pointer."""

import csv
import io
import json
from operator import itemgetter
from pathlib import Path

import pytest
from playwright.sync_api import expect

from edictum_site.stack.running import product as running
from governance.core.tables import as_csv
from outcomes.charts.axes import DASH
from tests.databases import own_database
from tests.journeys.console import VARIABLES
from tests.journeys.test_accessibility import (
    ONLY_COLOURS,
    RULES,
    findings,
    findings_in_both_themes,
)

BUT_COLOURS = RULES | {"rules": {"color-contrast": {"enabled": False}}}
OPEN = 3
SET_OPEN = """
(most) => document.querySelectorAll(".chart-table").forEach((table, at) => {
  table.open = at < most;
})
"""


@pytest.fixture(scope="module")
def development(tmp_path_factory):
    debugging = VARIABLES | {"EDICTUM_SITE_DEBUG": "1"}
    with (
        own_database() as store,
        running(tmp_path_factory.mktemp("development"), debugging | store) as product,
    ):
        yield product.url


def opened(open_page, development, **options):
    page = open_page(viewport={"width": 1280, "height": 900}, **options)
    assert page.goto(f"{development}/components/").status == 200
    return page


def chart(page, name):
    return page.locator(f"[data-plot='{name}']").first


@pytest.mark.parametrize("width", [1280, 390])
def test_the_components_page_is_accessible_and_as_wide_as_the_screen(development, open_page, width):
    page = open_page(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    page.goto(f"{development}/components/")
    assert page.locator(".chart-table").count() > OPEN
    page.evaluate(SET_OPEN, 1_000)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    result = list(findings("components", page, BUT_COLOURS))
    page.evaluate(SET_OPEN, OPEN)  # thousands of cells have the same few colours
    assert result + list(findings_in_both_themes("components", page, ONLY_COLOURS)) == []


def test_arrow_keys_read_a_chart_point_by_point(development, open_page):
    page = opened(open_page, development)
    box = chart(page, "Outcomes per hour")
    box.focus()
    page.keyboard.press("ArrowRight")
    expect(box.get_by_role("status")).to_contain_text(f"Tue 17 Nov 04:00{DASH}05:00. Executed 2")
    page.keyboard.press("ArrowRight")
    expect(box.get_by_role("status")).to_contain_text(f"Tue 17 Nov 05:00{DASH}06:00. Executed")
    page.keyboard.press("End")
    expect(box.get_by_role("status")).to_contain_text(f"Wed 18 Nov 03:00{DASH}04:00")
    page.keyboard.press("Escape")
    expect(box.locator(".chart-readout")).to_be_hidden()


def test_hovering_shows_the_value_without_a_layout_shift(development, open_page):
    page = opened(open_page, development)
    box = chart(page, "Success rate")
    box.scroll_into_view_if_needed()
    before = box.bounding_box()
    height = page.evaluate("document.documentElement.scrollHeight")
    page.mouse.move(before["x"] + before["width"] - 4, before["y"] + 30)
    expect(box.locator(".chart-readout")).to_contain_text("last 24 hours")
    assert box.bounding_box() == before
    assert page.evaluate("document.documentElement.scrollHeight") == height
    page.mouse.move(before["x"], before["y"] - 40)
    expect(box.locator(".chart-readout")).to_be_hidden()


def saved(page, figure, form):
    with page.expect_download() as begun:
        figure.locator(".files").get_by_text(form, exact=True).click()
    name = begun.value.suggested_filename
    return name, Path(begun.value.path()).read_bytes().decode()


REPLACE = """
(there) => {
  const fresh = there.cloneNode(true);
  fresh.querySelector("details").open = false;
  fresh.querySelector(".files").remove();
  there.replaceWith(fresh);
}
"""


def test_the_table_of_a_chart_can_be_downloaded_even_after_it_was_replaced(development, open_page):
    page = opened(open_page, development)
    figure = page.locator("[data-chart]").first
    assert not page.locator(".chart-table .files").count()
    figure.locator("summary").click()
    expect(figure.locator(".files")).to_have_text("CSV · JSON")
    figure.evaluate(REPLACE)
    figure.locator("summary").click()
    heads, *rows = page.evaluate(
        "(table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText))",
        figure.locator("table").element_handle(),
    )
    name, text = saved(page, figure, "CSV")
    assert (name, text.count("\r\n")) == ("outcomes-per-hour.csv", 25)
    value, *answer = csv.reader(io.StringIO(text, newline=""))
    assert value == heads
    assert [row[1:] for row in answer] == [row[1:] for row in rows]
    assert answer[0][0] == "2026-11-17T03:00:00Z"
    name, text = saved(page, figure, "JSON")
    assert name == "outcomes-per-hour.json"
    assert json.loads(text) == [dict(zip(heads, row, strict=True)) for row in answer]


WRITE_CELLS = """
(table, cells) => [...table.rows[0].cells, ...table.rows[1].cells].forEach((cell, at) => {
  cell.textContent = cells[at];
})
"""


def test_no_cell_of_a_downloaded_chart_becomes_a_formula(development, open_page):
    page = opened(open_page, development)
    figure = page.locator("[data-chart]").first
    figure.locator("summary").click()
    table = figure.locator("table")
    width = table.locator("thead th").count()
    given = [
        "=1+1",
        'a "b", c',
        "-5",
        "-1.5",
        "+1",
        "-a",
        "@a",
        "\ta",
        "\ra",
        " =a",
        "\uff1da",
        "a\nb",
    ]
    assert len(given) <= 2 * width
    given += ["a"] * (2 * width - len(given))
    table.evaluate(WRITE_CELLS, given)
    numbers = {cell: int(cell) if cell == "-5" else -1.5 for cell in ("-5", "-1.5")}
    listed = [numbers.get(cell, cell) for cell in given]
    columns = {str(at): itemgetter(at) for at in range(len(listed))}
    (_, by_server) = csv.reader(io.StringIO("".join(as_csv(columns, [listed])), newline=""))
    _, text = saved(page, figure, "CSV")
    first, second, *_ = csv.reader(io.StringIO(text, newline=""))
    assert first + second == by_server


def test_enter_follows_the_link_of_the_focused_point(development, open_page):
    page = opened(open_page, development)
    box = chart(page, "Newly denied per minute")
    box.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**/components/#from-0-to-0")


def test_arrow_keys_move_along_a_strip_and_describe_each_mark(development, open_page):
    page = opened(open_page, development)
    strip = page.locator("[data-strip]").first
    strip.locator("a").first.focus()
    page.keyboard.press("ArrowRight")
    readout = strip.locator(".chart-readout")
    expect(readout).to_contain_text("Call 2 · ledger_read: executed")
    expect(strip.locator("a").nth(1)).to_be_focused()


def test_without_javascript_the_table_contains_the_values(development, open_page):
    page = opened(open_page, development, java_script_enabled=False)
    figure = page.locator("[data-chart]").first
    figure.locator("summary").click()
    assert figure.locator("tbody tr").count() == 24
    assert not page.locator("[data-plot][tabindex]").count()

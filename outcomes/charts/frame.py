"""Frame of every plot: axis labels, legend and table.

The script reads the table, so the chart gives the same values to mouse, keyboard and screen reader.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from typing import Final

from django.templatetags.static import static
from django.utils.safestring import SafeString

from outcomes.charts.axes import Axis, Tick
from outcomes.charts.series import SHAPES, LinkTo, Scale, Series, Unit

Value = str | int | float

_ALONE: Final = frozenset({"circle", "line", "polygon", "polyline", "rect", "use"})


def element(name: str, *content: str, **attributes: Value | None) -> SafeString:
    """SVG or HTML element. Unsafe content is escaped. `class_` becomes `class`, `aria_label`
    becomes `aria-label`."""
    begun = f"<{name}{_written(attributes)}"
    if name in _ALONE:
        return SafeString(f"{begun}/>")
    return SafeString(f"{begun}>{joined(content)}</{name}>")


def _written(attributes: Mapping[str, Value | None]) -> str:
    return "".join(
        [
            f' {_named(key)}="{_value(value)}"'
            for key, value in attributes.items()
            if value is not None
        ]
    )


def cell(text: str) -> SafeString:
    """Numeric table cell, written directly as a chart has hundreds."""
    return SafeString(f'<td class="num">{escape(text)}</td>')


@cache  # only this package's names: a page has thousands of attributes
def _named(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def joined(parts: Iterable[str]) -> SafeString:
    return SafeString(
        "".join([part if isinstance(part, SafeString) else escape(part) for part in parts])
    )


def _value(value: Value) -> str:
    return escape(value) if isinstance(value, str) else short(value)


def short(number: float) -> str:
    """A number with at most two decimals, as screens show no more."""
    return f"{number:.2f}".rstrip("0").rstrip(".") if isinstance(number, float) else str(number)


def percent(share: float) -> str:
    return f"{short(100.0 * share)}%"


def line(x1: Value, y1: Value, x2: Value, y2: Value, style: str) -> SafeString:
    return element("line", class_=style, x1=x1, y1=y1, x2=x2, y2=y2)


def box(style: str, x: float, width: float, y: float, height: float, **more: Value) -> SafeString:
    """Rectangle placed in percent horizontally and in pixels vertically, so that a mark keeps its
    shape at every width. A chart has hundreds."""
    along = f'x="{percent(x)}" width="{percent(width)}"'
    down = f'y="{short(y)}" height="{short(height)}"'
    return SafeString(f'<rect class="{style}" {along} {down}{_written(more)}/>')


def words(text: str, x: Value, y: Value, *, style: str | None = None, anchor: str | None = None,
          dx: Value | None = None) -> SafeString:  # fmt: skip
    return element("text", text, class_=style, x=x, y=y, dx=dx, text_anchor=anchor)


@cache
def sign(shape: str) -> SafeString:
    """Filled outcome icon from the sprite."""
    drawn = element("use", href=f"{static('icons.svg')}#{shape}")
    return element("svg", drawn, class_="mark", aria_hidden="true")


_AXIS: Final = 20  # pixels for the labels below the plot


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    y: float
    words: str


def figure(
    *,
    name: str,
    says: str,
    height: float,
    labels: Sequence[Label],
    ticks: Sequence[Tick],
    plot: Sequence[str],
    legend: str = "",
    table: str = "",
    linked: bool = False,
) -> SafeString:
    """A chart in its frame. `says` is its text alternative."""
    labels_column = element(
        "svg",
        *(words(each.words, "100%", each.y + 4) for each in labels),
        class_="y-labels",
        height=height,
        aria_hidden="true",
    )
    drawn = element(
        "svg",
        element("desc", says),
        *plot,
        class_="plot",
        height=height,
        role="group" if linked else "img",
        aria_label=f"{name}. {says}",
    )
    around = element("div", drawn, class_="plot-box", data_plot=name)
    chart = element("div", labels_column, around, below(ticks), class_="chart")
    return element("figure", chart, legend, table, class_="chart-figure", data_chart="")


def below(ticks: Sequence[Tick]) -> SafeString:
    return element(
        "svg",
        *(
            words(
                tick.words,
                percent(tick.share),
                15,
                style="wide-only" if tick.wide else None,
                anchor=tick.anchor,
            )
            for tick in ticks
        ),
        class_="x-labels",
        height=_AXIS,
        aria_hidden="true",
    )


def grid(
    scale: Scale, unit: Unit, top: float, height: float
) -> tuple[list[SafeString], list[Label]]:
    """A hairline and a label for each tick; the lowest one is the axis."""
    drawn, labels = [], []
    for place, tick in enumerate(scale.ticks):
        y = top + height * (1 - scale.along(tick))
        drawn.append(line(0, y, "100%", y, "grid-line" if place else "axis-line"))
        labels.append(Label(y=y, words=unit.say_tick(tick)))
    return drawn, labels


def no_data(text: str, height: float) -> SafeString:
    return words(text, "50%", 0.3 * height, style="no-data", anchor="middle")


def legend(rows: Sequence[Series], *, drawn: str, more: Sequence[str] = ()) -> SafeString:
    """Legend. `drawn` is the swatch of a row without its own shape: `line` or `fill`."""
    return element("div", *(_entry(row, drawn) for row in rows), *more, class_="legend")


def _entry(row: Series, drawn: str) -> SafeString:
    if drawn == "fill" and row.style in SHAPES:
        return entry(sign(row.style), row.name, row.total, style=f"is-{row.style}")
    if drawn == "line":
        sample = element(
            "svg", line(0, 4, 18, 4, f"line-{row.style}"), class_="sample", aria_hidden="true"
        )
    else:
        swatch = element("rect", class_=f"fill-{row.style}", y=1, width=8, height=8)
        sample = element("svg", swatch, class_="sample bar-sample", aria_hidden="true")
    return entry(sample, row.name, row.total)


def entry(sample: str, name: str, total: str = "", *, style: str | None = None) -> SafeString:
    count = element("b", total) if total else ""
    return element("span", sample, joined((name, " ")), count, class_=style)


def table(
    axis: Axis,
    groups: Sequence[range],
    columns: Sequence[tuple[str, Sequence[str]]],
    *,
    name: str,
    link: LinkTo | None = None,
) -> SafeString:
    """Data table of a chart: one row per mark, with its position on the axis."""
    head = [element("th", axis.heading, scope="col")]
    head += [element("th", title, scope="col", class_="num") for title, _ in columns]
    rows = []
    for place, group in enumerate(groups):
        first, last = group[0], group[-1]
        step_words = axis.words(first, last)
        begun = axis.begins(first)
        exact = (
            element("time", step_words, datetime=begun) if begun else step_words
        )  # for the downloaded table
        begin = element("a", exact, href=link(first, last)) if link else exact
        cells = [cell(values[place]) for _, values in columns]
        at = 100 * axis.place((first + last) / 2)
        rows.append(element("tr", element("th", begin, scope="row"), *cells, data_x=round(at, 2)))
    body = element(
        "table",
        element("caption", name, class_="unseen"),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_="table",
        data_until=axis.ends() or None,  # zoom.js reads it
    )
    scrolled = element(
        "div", body, class_="table-scroll", tabindex=0, role="region", aria_label=f"{name}, table"
    )
    return element("details", element("summary", "Show as table"), scrolled, class_="chart-table")


def groups_of(steps: int, at_most: int) -> list[range]:
    """Steps grouped into at most `at_most` marks. Only the first group may be smaller: if it were
    the last, the newest values would seem to fall."""
    size = max(1, -(-steps // at_most))
    cuts = [0, *range(steps % size or size, steps, size), steps] if steps else []
    return [range(begin, end) for begin, end in pairwise(cuts)]

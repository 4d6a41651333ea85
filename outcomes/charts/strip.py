"""Strip chart of a session: calls that ran above a line, denied calls below it, verdicts along it.
Every mark links to its call."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from django.templatetags.static import static
from django.utils.safestring import SafeString

from governance.core.figures import thousands
from outcomes.charts.axes import Tick, time_axis_ticks
from outcomes.charts.frame import (
    Value,
    below,
    box,
    element,
    entry,
    joined,
    line,
    no_data,
    percent,
    short,
    sign,
    words,
)
from outcomes.charts.series import Style
from outcomes.charts.strip_marks import (
    STYLES,
    By,
    Mark,
    Numbered,
    height_of,
    marks_of,
    numbered,
    slowest_of,
)
from outcomes.record.brief_call import BriefCall

WIDE: Final = 500  # marks: two pixels each on a screen 1,280 pixels wide
NARROW: Final = 160  # marks with the same width on a phone
_IN_TIME: Final = 250  # slots of the time axis
_CAPS: Final = 160  # with more marks than this there is no room for shapes on top
_WIDTH: Final = 0.66  # share of a step
_CAP: Final = 9  # pixels of a shape
_HEIGHT: Final = 168
_BASE: Final = 104  # y of the line
_LOWEST, _HIGHEST = 10, 74  # height of bars
# Distance below the line and height of a dash, a block and a frame.
_VERDICTS: Final = {"success": (7.5, 2), "failure": (4, 9), "unknown": (4.5, 8)}
_APART: Final = 0.045  # turns that start closer together share a label


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The call at which a limit was hit. Calls after it get a shaded background."""

    number: int
    words: str


LinkToCall = Callable[[BriefCall], str]


def strip(
    calls: Sequence[BriefCall],
    *,
    says: str,
    link: LinkToCall,
    first: int = 1,
    first_turn: int = 1,
    by: By = "call",
    zone: tzinfo,
    stop: Stop | None = None,
    name: str = "Calls in order",
    empty: str = "No call in this range",
) -> SafeString:
    """Strip of calls in session order; `first` is the number of the first call."""
    known = numbered(calls, first)
    many = _IN_TIME if by == "time" else WIDE
    wide = marks_of(known, by, many)
    narrow = marks_of(known, by, NARROW) if len(wide) > NARROW else []
    shown = [(wide, "wide-only"), (narrow, "narrow-only")] if narrow else [(wide, "")]
    plots = []
    for marks, style in shown:
        drawn = [
            *_ground(marks, stop),
            *_turns(marks, first_turn),
            line(0, _BASE, "100%", _BASE, "axis-line"),
            line(0, _BASE + 16, "100%", _BASE + 16, "grid-line"),
            *_marks(marks, slowest_of(known)),
            *_stop(marks, stop),
            *_targets(marks, link),
        ]
        if not marks:
            drawn.append(no_data(empty, _BASE))
        plots.append(
            element(
                "svg",
                element("desc", says),
                *drawn,
                class_=f"plot {style}".strip(),
                height=_HEIGHT,
                role="group" if marks else "img",
                aria_label=f"{name}. {says}",
                data_rove="",
            )
        )
    lanes = [element("span", word, class_=f"lane-{word}") for word in ("ran", "verdict", "denied")]
    lanes_column = element("div", *lanes, class_="lanes", aria_hidden="true")
    around = element("div", *plots, class_="plot-box", data_strip="")
    along = below(_times(known, zone)) if by == "time" else ""
    body = element("div", lanes_column, around, along, class_="strip")
    return element("figure", body, _legend(known), class_="chart-figure")


def _marks(marks: Sequence[Mark], slowest: float) -> Iterator[SafeString]:
    round_edges: dict[str, Value] = {"rx": 1} if len(marks) <= _CAPS else {}
    for mark in marks:
        x, width = mark.x + mark.width * (1 - _WIDTH) / 2, mark.width * _WIDTH
        if mark.ran:
            height = height_of(mark.ran.call, slowest, _LOWEST, _HIGHEST)
            style = mark.ran.style
            yield box(f"fill-{style}", x, width, _BASE - 1 - height, height, **round_edges)
            if len(marks) <= _CAPS and style in (Style.ARTIFACT, Style.TIMEOUT, Style.FAILURE):
                yield _cap(style, x + width / 2, _BASE - 3 - height - _CAP)
        if mark.verdict:
            up, height = _VERDICTS[mark.verdict]
            yield box(f"verdict-bar-{mark.verdict}", x, width, _BASE + up, height)
        if mark.denied:
            yield box("fill-denied", x, width, _BASE + 20, 24, **round_edges)


def _cap(style: Style, x: float, y: float) -> SafeString:
    shape = element("use", href=f"{static('icons.svg')}#{style}", width=_CAP, height=_CAP)
    moved = element(
        "g", shape, transform=f"translate({short(-_CAP / 2)} 0)", class_=f"fill-{style}"
    )
    return element(
        "svg", moved, class_="wide-only", x=percent(x), y=y, width=1, height=1, overflow="visible"
    )


def _turns(marks: Sequence[Mark], first_turn: int) -> Iterator[SafeString]:
    """A dotted line at the start of each turn, with its number if there is room."""
    seen: set[str] = set()
    written = -1.0
    for mark in marks:
        for turn in dict.fromkeys(each.call.turn_id for each in mark.calls):
            if not turn or turn in seen:
                continue
            number = first_turn + len(seen)
            seen.add(turn)
            if written >= 0 and mark.x - written < _APART:
                continue
            written = mark.x
            if mark.x:
                yield line(percent(mark.x), 18, percent(mark.x), _BASE + 46, "turn-line")
            noun = element("tspan", "turn ", class_="wide-only") if len(seen) == 1 else ""
            turn_words = joined((noun, thousands(number)))
            yield words(turn_words, percent(mark.x), 12, dx=2)


def _after(marks: Sequence[Mark], stop: Stop | None) -> float | None:
    """Position of a stop's line: after the mark of its call."""
    if stop is None:
        return None
    for mark in marks:
        if any(each.number == stop.number for each in mark.calls):
            return mark.x + mark.width
    return None


def _ground(marks: Sequence[Mark], stop: Stop | None) -> Iterator[SafeString]:
    x = _after(marks, stop)
    if x is not None:
        last = max(mark.x + mark.width for mark in marks)
        yield box("after-stop", x, max(0.0, last - x), 18, 132)


def _stop(marks: Sequence[Mark], stop: Stop | None) -> Iterator[SafeString]:
    x = _after(marks, stop)
    if stop and x is not None:
        yield line(percent(x), 16, percent(x), 166, "stop-line")
        anchor, dx = ("end", -6) if x > 0.5 else ("start", 6)
        yield words(stop.words, percent(x), 164, style="strong", anchor=anchor, dx=dx)


def _targets(marks: Sequence[Mark], link: LinkToCall) -> Iterator[SafeString]:
    """Link of each mark. Only the first is a tab stop; arrow keys move between marks."""
    for place, mark in enumerate(marks):
        area = box("target", mark.x, mark.width, 16, 134)
        title = element("title", mark.words)
        yield element("a", title, area, href=link(mark.worst.call), tabindex=-1 if place else 0)


def _times(known: Sequence[Numbered], zone: tzinfo) -> list[Tick]:
    if not known:
        return []
    moments = [each.call.at for each in known]
    begin, end = min(moments), max(moments)
    span = (end - begin).total_seconds()
    if not span:
        return []
    return time_axis_ticks(begin, end, zone, lambda at: (at - begin).total_seconds() / span)


_WORDS: Final = {
    Style.EXECUTED: "Executed", Style.ARTIFACT: "Artifact", Style.TIMEOUT: "Timeout",
    Style.FAILURE: "Failure", Style.DENIED: "Denied", Style.OPEN: "Running",
}  # fmt: skip


def _legend(known: Sequence[Numbered]) -> SafeString:
    """Legend of the outcomes and verdicts that occur in the session."""
    kinds = Counter(STYLES[each.call.kind] for each in known)
    entries = [
        entry(sign(style), word, thousands(kinds[style]), style=f"is-{style}")
        for style, word in _WORDS.items()
        if kinds[style]
    ]
    verdicts = Counter(each.call.verdict for each in known)
    for many, label, style in (
        (verdicts["failure"], "verdict failure", "verdict-bar-failure"),
        (sum(each.missed for each in known), "agent missed it", "fill-unseen-failure"),
        (verdicts["unknown"], "unknown", "verdict-bar-unknown"),
    ):
        if many:
            swatch = element("rect", class_=style, x=0.5, y=1, width=7, height=7, rx=1)
            sample = element("svg", swatch, class_="sample bar-sample", aria_hidden="true")
            entries.append(entry(sample, label, thousands(many)))
    if known:
        entries.append(
            element("span", "Height: time taken, log scale", class_="quiet-text wide-only")
        )
    return element("div", *entries, class_="legend")

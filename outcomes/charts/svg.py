"""Elements of SVG and HTML as text: what comes from outside is escaped, and numbers are short."""

from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from typing import Final

from django.templatetags.static import static
from django.utils.safestring import SafeString

Value = str | int | float

_ALONE: Final = frozenset({"circle", "line", "polygon", "polyline", "rect", "use"})


def element(name: str, *content: str, **attributes: Value | None) -> SafeString:
    """Content that is not safe is escaped. `class_` and `aria_label` are named as Python can."""
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
    """A number in a table, of which a chart has hundreds."""
    return SafeString(f'<td class="num">{escape(text)}</td>')


@cache  # of the names in this package: a page has thousands of them
def _named(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def joined(parts: Iterable[str]) -> SafeString:
    return SafeString(
        "".join([part if isinstance(part, SafeString) else escape(part) for part in parts])
    )


def _value(value: Value) -> str:
    return escape(value) if isinstance(value, str) else short(value)


def short(number: float) -> str:
    """As exact as a screen can show."""
    return f"{number:.2f}".rstrip("0").rstrip(".") if isinstance(number, float) else str(number)


def percent(share: float) -> str:
    return f"{short(100.0 * share)}%"


def line(x1: Value, y1: Value, x2: Value, y2: Value, style: str) -> SafeString:
    return element("line", class_=style, x1=x1, y1=y1, x2=x2, y2=y2)


def box(style: str, x: float, width: float, y: float, height: float, **more: Value) -> SafeString:
    """Per cent along, pixels down: a mark keeps its shape at every width. A chart has hundreds."""
    along = f'x="{percent(x)}" width="{percent(width)}"'
    down = f'y="{short(y)}" height="{short(height)}"'
    return SafeString(f'<rect class="{style}" {along} {down}{_written(more)}/>')


def words(text: str, x: Value, y: Value, *, style: str | None = None, anchor: str | None = None,
          dx: Value | None = None) -> SafeString:  # fmt: skip
    return element("text", text, class_=style, x=x, y=y, dx=dx, text_anchor=anchor)


@cache
def sign(shape: str) -> SafeString:
    """The filled shape of an outcome, out of the sprite."""
    drawn = element("use", href=f"{static('icons.svg')}#{shape}")
    return element("svg", drawn, class_="mark", aria_hidden="true")

"""Template tags and filters for display: icons, formatted figures, rates with intervals, times in
the reader's zone, JSON trees. They take plain values and are independent of models."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString

from edictum_site.pages.json_tree import Path, Place
from edictum_site.pages.json_tree import json_tree as tree_of
from edictum_site.pages.json_tree import opener as button_opening
from governance.core import figures
from governance.core.masking import MASK, masked_beginning
from governance.core.roles import Role
from governance.people.policies import Action, may

register = template.Library()

SHORT_NAME, LINE = 14, 20  # characters that fit every column; longest name kept on one line
_PARTS = re.compile(r"(?<=[_.:/-])(?=[^_.:/-])")
_IN_BACKTICKS = re.compile(r"`([^`]+)`")

# Icon and label of each kind of call; an empty kind is a call that is still open.
KINDS: Mapping[str, tuple[str, str]] = {
    "execution_result": ("executed", "Executed"),
    "artifact_reference": ("artifact", "Artifact"),
    "timeout": ("timeout", "Timeout"),
    "failure": ("failure", "Failure"),
    "denied": ("denied", "Denied"),
    "": ("open", "Running"),
}
VERDICT_SIGNS: Mapping[str, str] = {"success": "success", "failure": "cross", "unknown": "unknown"}
# Second key after `g`, by the entry's icon. If first letters collide, another letter of the name.
GO_KEYS: Mapping[str, str] = {
    "overview": "o",
    "sessions": "s",
    "calls": "l",
    "warning": "n",  # alerts
    "tools": "t",
    "denials": "d",
    "artifacts": "a",
    "contracts": "c",
    "checks": "h",
    "approvals": "p",
    "agents": "g",
    "settings": ",",
}


@register.simple_tag
@cache
def icon(name: str, size: str = "") -> SafeString:
    """Line icon of 16 pixels, or 12 if `small`. It is decorative: a label is next to it."""
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#{}"></use></svg>',
        f"icon {size}".strip(),
        static("icons.svg"),
        name,
    )


@register.simple_tag
@cache
def mark(shape: str) -> SafeString:
    """Filled outcome icon; the surrounding class `is-<shape>` sets its color."""
    return format_html(
        '<svg class="mark" aria-hidden="true"><use href="{}#{}"></use></svg>',
        static("icons.svg"),
        shape,
    )


@register.simple_tag
@lru_cache(1_000, typed=True)  # hundreds of rows use the same few values
def outcome(kind: str | None, reason: str = "", *, reported_late: bool = False) -> SafeString:
    """Tag with an outcome's type, and a denial's reason. An open call is shown as running, or as
    without a result once it is late."""
    shape, word = KINDS[kind or ""]
    if not kind and reported_late:
        word = "No result reported"
    return _drawn("tag", {"shape": shape, "word": word, "reason": reason})


@register.simple_tag
@lru_cache(1_000, typed=True)
def verdict(
    word: str | None, why_none: str = "Denied and open calls have no verdict"
) -> SafeString:
    sign = VERDICT_SIGNS.get(word or "")
    return _drawn("verdict", {"word": word, "sign": sign, "why_none": why_none})


def _drawn(component: str, context: dict[str, Any]) -> SafeString:
    return SafeString(render_to_string(f"_components/{component}.html", context).lstrip())


@register.inclusion_tag("_components/rate.html", takes_context=True)
def rate(
    context: Context,
    successes: int,
    of: int,
    target: float | None = None,
    *,
    ran: int = 0,
    suspected: int = 0,
    returned: int = 0,
    checked: int = 0,
) -> dict[str, Any]:
    """Success rate with its interval, red if even the upper bound is below the target (by default
    the project's). `ran` counts executed calls, also those without a verdict; `suspected` successes
    look like failures; `checked` of the `returned` calls sent an output."""
    if not of:
        return {"of": 0, "ran": ran}
    if target is None:
        target = getattr(context.get("project"), "success_target", None)
    suspected = min(suspected, successes)
    share, lowest = successes / of, (successes - suspected) / of
    low, high = figures.interval(successes - suspected, of)[0], figures.interval(successes, of)[1]
    title = (
        f"{successes:,} of {of:,} · 95 % interval {figures.percent(low)} to {figures.percent(high)}"
    )
    if target is not None:
        title = f"{title} · target {figures.percent(target)}"
    least = f"{figures.percent(lowest).removesuffix(' %')}\N{EN DASH}" if suspected else ""
    return {
        "of": of,
        "title": title,
        "suspected": suspected,
        "returned": returned,
        "checked": checked,
        "words": f"{least}{figures.percent(share)}",
        "share": share,
        "lowest": lowest,
        "low": low,
        "high": high,
        "is_low": target is not None and high < target,
        "is_calm": successes == of and not suspected and checked == returned,
        "wide": False,
    }


@register.inclusion_tag("_components/rate.html", takes_context=True)
def rate_of(
    context: Context, counted: Any, *, target: float | None = None, suspected: int | None = 0
) -> dict[str, Any]:
    """Success rate of figures, with the number of calls that could be checked."""
    return rate(
        context,
        counted.successes,
        counted.judged,
        target,
        ran=counted.ran,
        suspected=suspected or 0,
        returned=counted.returned,
        checked=counted.with_output,
    )


@register.inclusion_tag("_components/rate.html", takes_context=True)
def session_rate(context: Context, session: Any, doubt: Any) -> dict[str, Any]:
    """Success rate of a session, with its suspected and unchecked calls."""
    return rate(
        context,
        session.successes,
        session.judged,
        ran=session.executions,
        suspected=doubt.suspected,
        returned=doubt.returned,
        checked=doubt.checked,
    )


@register.inclusion_tag("_components/interval.html")
def interval(successes: int, of: int) -> dict[str, Any]:
    """Full-width interval bar without figures, for a rate shown next to it."""
    low, high = figures.interval(successes, of)
    return {"low": low, "high": high, "share": successes / of, "wide": True}


@register.simple_tag
def local_time(moment: datetime | None, style: str = "short") -> SafeString:
    """Time in UTC, which the script converts to the reader's zone. `exact` shows all digits."""
    if moment is None:
        return SafeString('<span class="quiet-text" title="Time unknown">&ndash;</span>')
    moment = moment.astimezone(UTC)
    exact = figures.exact_time(moment)
    shown = exact if style == "exact" else figures.short_time(moment, datetime.now(UTC))
    return format_html(
        '<time datetime="{}" title="{}" data-local="{}">{}</time>',
        moment.isoformat(),
        exact,
        style,
        shown,
    )


@register.simple_tag
def age(moment: datetime) -> SafeString:
    """Time since a moment, in one or two units."""
    ago = timedelta(seconds=int((datetime.now(UTC) - moment).total_seconds()))
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        figures.exact_time(moment.astimezone(UTC)),
        "just now" if ago < timedelta(minutes=1) else figures.duration(ago),
    )


@register.simple_tag(takes_context=True)
def json_tree(
    context: Context, value: object, decided: Path | None = None, at: str | None = None
) -> SafeString:
    """JSON as a tree. With `at`, a JSON pointer, masked values can be opened if the page's role
    allows it."""
    return tree_of(value, decided, _place(context, at))


@register.simple_tag(takes_context=True)
def opener(context: Context, text: object, at: str) -> SafeString | str:
    """Button that opens a masked text."""
    place = _place(context, at)
    return button_opening(place) if place and MASK in str(text) else ""


def _place(context: Context, at: str | None) -> Place | None:
    opens = context.get("opens", "")
    return None if at is None or not opens else Place(opens, at)


@register.filter
def opens_values(role: Role | str) -> bool:
    """True if this role may see masked values."""
    return isinstance(role, Role) and may(role, Action.OPEN_VALUE)


@register.filter
def masked(text: str) -> str:
    """Sent value with its secrets masked."""
    return masked_beginning(text)


@register.filter
def breakable(name: str) -> SafeString:
    """A name on one line, or with line breaks allowed between its parts if it is long."""
    if len(name) <= SHORT_NAME:
        return escape(name)
    if len(name) <= LINE:
        return format_html('<span class="nowrap">{}</span>', name)
    return SafeString("<wbr>".join(escape(part) for part in _PARTS.split(name)))


@register.filter
def with_code(words: str) -> SafeString:
    """A sentence with text in backticks set as code."""
    return SafeString(_IN_BACKTICKS.sub(r"<code>\1</code>", conditional_escape(words)))


@register.filter
def thousands(number: float | None) -> str:
    return figures.thousands(number)


@register.filter
def duration(milliseconds: float | timedelta | None) -> str:
    return figures.duration(milliseconds)


@register.filter
def percent(fraction: float | None, digits: int = 1) -> str:
    return figures.percent(fraction, digits)


@register.filter
def points(change: float) -> str:
    """A change of a rate in points, with its sign: +2.1."""
    return figures.points(change)


@register.filter
def size(octets: int | None) -> str:
    return figures.size(octets)


@register.filter
def share_of(part: float | None, total: float | None) -> float | None:
    """Ratio for `percent`: `part|share_of:whole|percent`."""
    return part / total if part is not None and total else None


@register.filter
def along(part: float | None, total: float = 1.0) -> str:
    """Position along an axis for SVG attributes, clamped to its ends."""
    if not part or not total:
        return "0%"
    return f"{100 * min(max(part / total, 0.0), 1.0):.2f}%"


@register.filter
def minus(number: float, other: float) -> float:
    return number - other


@register.filter
def go_key(entry_icon: str) -> str:
    return GO_KEYS.get(entry_icon, "")


@register.filter
def message_severity(level: str) -> str:
    """Severity for a message's level."""
    return {"error": "error", "warning": "warning", "success": "good"}.get(level, "note")

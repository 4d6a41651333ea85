"""The look's own tags and filters: signs from the sprite, figures in words, rates with their
interval, times in the reader's zone, JSON as a tree. They take values and know no model."""

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

SHORT_NAME, LINE = 14, 20  # characters that fit every column, and that stay on one line
_PARTS = re.compile(r"(?<=[_.:/-])(?=[^_.:/-])")
_IN_BACKTICKS = re.compile(r"`([^`]+)`")

# What a call's kind is called on a page, and the shape that stands for it; no kind: still open.
KINDS: Mapping[str, tuple[str, str]] = {
    "execution_result": ("executed", "Executed"),
    "artifact_reference": ("artifact", "Artifact"),
    "timeout": ("timeout", "Timeout"),
    "failure": ("failure", "Failure"),
    "denied": ("denied", "Denied"),
    "": ("open", "Running"),
}
VERDICT_SIGNS: Mapping[str, str] = {"success": "success", "failure": "cross", "unknown": "unknown"}
# After `g`, by the icon of the entry; where pages begin with the same letter, one that they hold.
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
    """A drawn stroke of 16, or of 12 when it is `small`; the word stands beside it."""
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#{}"></use></svg>',
        f"icon {size}".strip(),
        static("icons.svg"),
        name,
    )


@register.simple_tag
@cache
def mark(shape: str) -> SafeString:
    """The filled shape of an outcome; its colour comes from `is-<shape>` around it."""
    return format_html(
        '<svg class="mark" aria-hidden="true"><use href="{}#{}"></use></svg>',
        static("icons.svg"),
        shape,
    )


@register.simple_tag
@lru_cache(1_000, typed=True)  # the same few, in each of hundreds of rows
def outcome(kind: str | None, reason: str = "", *, reported_late: bool = False) -> SafeString:
    """The type of an outcome, with the reason of a denial beside it. An open call is running,
    and without a result once it is late."""
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
    """Red when even the upper bound is below the target, which is the project's unless another is
    given. `ran` may count for nothing; `suspected` successes look like failures; `checked` of the
    calls that `returned` came with an output."""
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
    """The rate of figures, with how many of their calls could be checked."""
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
    """The rate of a session, with what speaks against it."""
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
    """The interval alone, as wide as its place, for a rate whose figures stand beside it."""
    low, high = figures.interval(successes, of)
    return {"low": low, "high": high, "share": successes / of, "wide": True}


@register.simple_tag
def local_time(moment: datetime | None, style: str = "short") -> SafeString:
    """In UTC here; the script writes the same words in the reader's zone. `exact` is all of it."""
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
    """How long ago, in one or two units."""
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
    """With `at`, a JSON pointer, its masked values can be opened where the page says who may."""
    return tree_of(value, decided, _place(context, at))


@register.simple_tag(takes_context=True)
def opener(context: Context, text: object, at: str) -> SafeString | str:
    """The button that opens a masked text."""
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
    """A name that stays on one line, or, if it is long, breaks between its parts."""
    if len(name) <= SHORT_NAME:
        return escape(name)
    if len(name) <= LINE:
        return format_html('<span class="nowrap">{}</span>', name)
    return SafeString("<wbr>".join(escape(part) for part in _PARTS.split(name)))


@register.filter
def with_code(words: str) -> SafeString:
    """A sentence with what is between back-ticks as code."""
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
    """A change of a rate: +2.1, or a loss."""
    return figures.points(change)


@register.filter
def size(octets: int | None) -> str:
    return figures.size(octets)


@register.filter
def share_of(part: float | None, total: float | None) -> float | None:
    """For `percent`: `part|share_of:whole|percent`."""
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

"""Text about approvals: time left, earlier approvals and the session so far."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.approvals.domain import Amount
from governance.core.figures import counted, duration, short_time
from governance.core.texts import code
from outcomes.approvals.queries import EARLIER_SHOWN, Earlier, SoFar

LONGEST_HEADLINE = 90  # characters


def left_words(seconds: int) -> str:
    """Time left, in the script's format. Always shows both units, so the width rarely changes."""
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3_600:
        return f"{seconds // 60} min {seconds % 60} s"
    if seconds < 86_400:
        return f"{seconds // 3_600} h {seconds % 3_600 // 60} min"
    return f"{seconds // 86_400} d {seconds % 86_400 // 3_600} h"


def earlier_words(earlier: Earlier, tool: str, now: datetime) -> str:
    """2 earlier approvals for `A-2091`: 1,240.00 EUR on 12 Nov, 80.00 EUR on 3 Nov"""
    named = f" for {code(earlier.names[0])}" if earlier.names else ""
    if not earlier.approvals:
        return f"No earlier approval of {code(tool)}{named} in 90 days"
    number = len(earlier.approvals)
    if number == 1:
        (approval, amount), *_ = earlier.approvals
        what = f"{amount} " if amount else ""
        return f"Approved{named} before: {what}{_when(approval.ends_at, now)}"
    listed = [
        f"{amount} {_when(approval.ends_at, now)}" if amount else short_time(approval.ends_at, now)
        for approval, amount in earlier.approvals[:EARLIER_SHOWN]
    ]
    newest = "" if number <= EARLIER_SHOWN else "newest "
    return f"{number:,} earlier approvals{named}: {newest}{', '.join(listed)}"


def _when(at: datetime, now: datetime) -> str:
    """at 06:49:59 · on 12 Nov 14:20"""
    words = short_time(at, now)
    return f"on {words}" if any(letter.isalpha() for letter in words) else f"at {words}"


def warning_words(earlier: Earlier, now: datetime) -> str:
    """Warning if the same amount was approved before, else empty."""
    if earlier.repeated is None:
        return ""
    return f"Same amount approved {duration(now - earlier.repeated.ends_at)} ago."


def so_far_words(so_far: SoFar, tool: str) -> str:
    """So far: 22 calls in 4 min, 21 succeeded, 1 failed. 3 `refund` approved, 412.00 EUR."""
    parts = [
        f"{counted(so_far.calls, 'call')} in {duration(so_far.lasted)}",
        f"{so_far.succeeded:,} succeeded",
    ]
    if so_far.failed:
        parts.append(f"{so_far.failed:,} failed")
    if so_far.denied:
        parts.append(f"{so_far.denied:,} denied")
    approved = ""
    if so_far.approved:
        total = sum_words(so_far.amounts)
        approved = f" {so_far.approved:,} {code(tool)} approved{f', {total}' if total else ''}."
    return f"So far: {', '.join(parts)}.{approved}"


def sum_words(amounts: Sequence[Amount]) -> str:
    """Sums by currency; empty without amounts."""
    sums: dict[str, Decimal] = {}
    for each in amounts:
        sums[each.currency] = sums.get(each.currency, Decimal()) + each.value
    return " and ".join(str(Amount(value, currency)) for currency, value in sums.items())


def sentence(
    title: SafeString, text: str, left: int, *, number: int, is_cut: bool, then_runs: bool
) -> SafeString:
    """Headline: the request that expires first, its time left, and how many more are pending."""
    clock = format_html(
        '<span data-clock data-left="{}"><span data-clock-words>{}</span></span>',
        left,
        left_words(left),
    )
    verb = "runs" if then_runs else "expires"
    more = f", {number - 1:,}{' or more' if is_cut else ' more'} pending" if number > 1 else ""
    if len(f"{text} {verb} in {left_words(left)}{more}") <= LONGEST_HEADLINE:
        return format_html("{} {} in {}{}", title, verb, clock, more)
    pending = f"{counted(number, 'approval')}{' or more' if is_cut else ''} pending"
    return format_html("{}, the first {} in {}", pending, verb, clock)

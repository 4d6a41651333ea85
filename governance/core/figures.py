"""Numbers formatted for people: thousands, percentages, durations, times and intervals."""

import math
from datetime import datetime, timedelta

MISSING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
Z = 1.959963984540054  # the two-sided 95 % quantile of the normal distribution

_SECOND = 1_000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def thousands(number: float | None) -> str:
    if number is None:
        return MISSING
    return f"{number:,}".replace("-", MINUS)


def percent(fraction: float | None, digits: int = 1) -> str:
    """Percentage; only exactly 0 or 1 is shown as 0 or 100."""
    if fraction is None:
        return MISSING
    shown = round(100 * fraction, digits)
    least = 10.0**-digits
    if 0 < fraction < 1:
        shown = min(max(shown, least), 100 - least)
    return f"{shown:.{digits}f} %".replace("-", MINUS)


def points(change: float) -> str:
    """Change of a rate, in percentage points."""
    moved = f"{change:+.1f}" if round(change, 1) else "±0"
    return moved.replace("-", MINUS)


def duration(milliseconds: float | timedelta | None) -> str:
    """Duration in at most two units; the second is omitted if it is zero."""
    if milliseconds is None:
        return MISSING
    if isinstance(milliseconds, timedelta):
        milliseconds = milliseconds / timedelta(milliseconds=1)
    if milliseconds < 1:
        return "< 1 ms"
    if round(milliseconds) < _SECOND:
        return f"{round(milliseconds)} ms"
    if round(milliseconds, -2) < 10 * _SECOND:
        return f"{milliseconds / _SECOND:.1f} s"
    if round(milliseconds, -3) < _MINUTE:
        return f"{round(milliseconds / _SECOND)} s"
    if round(milliseconds / _SECOND) < _HOUR // _SECOND:
        return _two_units(round(milliseconds / _SECOND), 60, "min", "s")
    if round(milliseconds / _MINUTE) < _DAY // _MINUTE:
        return _two_units(round(milliseconds / _MINUTE), 60, "h", "min")
    return _two_units(round(milliseconds / _HOUR), 24, "d", "h")


def _two_units(amount: int, of: int, larger: str, smaller: str) -> str:
    units, rest = divmod(amount, of)
    return f"{units} {larger} {rest} {smaller}" if rest else f"{units} {larger}"


def size(octets: int | None) -> str:
    if octets is None:
        return MISSING
    if octets < 1_000:
        return f"{octets} B"
    amount, unit = float(octets), "B"
    for larger in ("kB", "MB", "GB"):
        if round(amount) < 1_000:
            break
        amount, unit = amount / 1_000, larger
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:,.0f} {unit}"


def interval(successes: int, of: int) -> tuple[float, float]:
    """95 % Wilson interval, so that five of five isn't shown as certain."""
    share = successes / of
    middle = share + Z * Z / (2 * of)
    spread = Z * math.sqrt(share * (1 - share) / of + Z * Z / (4 * of * of))
    denominator = 1 + Z * Z / of
    return max(0.0, (middle - spread) / denominator), min(1.0, (middle + spread) / denominator)


def short_time(moment: datetime, now: datetime) -> str:
    """Time if today, weekday if this week, else the date. The pages' script does the same."""
    days = (now.date() - moment.date()).days
    if days == 0:
        return f"{moment:%H:%M:%S}"
    if 0 < days < 7:
        return f"{moment:%a %H:%M}"
    if moment.year == now.year:
        return f"{moment.day} {moment:%b %H:%M}"
    return f"{moment.day} {moment:%b %Y}"


def exact_time(moment: datetime) -> str:
    offset = f"{moment:%z}"
    return f"{moment:%Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:5]}".replace(" -", f" {MINUS}")


def without_marks(text: str) -> str:
    """Replace backticks, for sentences that use them to mark code."""
    return text.replace("`", "'")


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"

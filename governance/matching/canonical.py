"""Canonical JSON (RFC 8785), equal in every implementation, and shortened values for display."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from governance.matching.call import MISSING, TEXT, UNREAD, Prefix

SHOWN = 200  # characters of a value that are stored or shown in a reason
WRITE = 32  # work per value, in addition to its characters
EXACT = 2**53
_HALVES = re.compile("[\ud800-\udfff]")


def short_text(value: Any) -> str:
    """Value as text for a reason."""
    if value is MISSING or value is UNREAD:
        return ""
    if type(value) is Prefix:
        value = value.text
    text = without_surrogates(value[:SHOWN]) if type(value) is str else canonical(value, SHOWN)
    return text[:SHOWN]


def shown(value: Any) -> Any:
    """Value small enough to store; a large one becomes the start of its text."""
    if value is MISSING or value is UNREAD:
        return None
    if type(value) is str or type(value) is Prefix:
        return short_text(value)
    if value is None or type(value) is bool:
        return value
    text = canonical(value, SHOWN)
    return text[:SHOWN] if len(text) > SHOWN or "\\ud" in text else json.loads(text)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which no database stores."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def double(number: float) -> float:
    """Number as an IEEE double, even if Python has it as an integer."""
    if type(number) is float or -EXACT <= number <= EXACT:
        return number
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def canonical(value: Any, most: float = math.inf) -> str:
    """Canonical JSON, cut once it is known to exceed `most`."""
    parts: list[str] = []
    length = 0
    for part in _parts(value, most):
        parts.append(part)
        length += len(part)
        if length > most:
            break
    return "".join(parts)


def written(value: Any, allowed: int) -> tuple[str | Prefix, int]:
    """Canonical JSON as far as the allowed work suffices, and the work spent."""
    parts: list[str] = []
    length = spent = 0
    for part in _parts(value, TEXT):
        room = min(allowed - spent - WRITE, TEXT - length)
        if len(part) > room:
            parts.append(part[: max(room, 0)])
            return Prefix("".join(parts)), allowed
        parts.append(part)
        length += len(part)
        spent += WRITE + len(part)
    return "".join(parts), spent


def _parts(value: Any, most: float) -> Iterator[str]:
    """One part per value, with its name, and one per closing bracket. Iterative, so depth is
    unlimited."""
    around: list[tuple[Iterator[tuple[str, Any]], str]] = [(iter([("", value)]), "")]
    while around:
        members, end = around[-1]
        before, each = next(members, (end, MISSING))
        if each is MISSING:
            around.pop()
        elif type(each) is dict:
            around.append((_members(each), "}"))
            before += "{"
        elif type(each) is list:
            around.append((_items_of(each), "]"))
            before += "["
        else:
            before += _scalar(each, most)
        if before:
            yield before


def _items_of(items: list[Any]) -> Iterator[tuple[str, Any]]:
    return (("," if place else "", item) for place, item in enumerate(items))


def _members(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    return (
        (f"{',' if place else ''}{_quoted(name)}:", value[name])
        for place, name in enumerate(ordered(value))
    )


def ordered(names: dict[str, Any]) -> list[str]:
    """Names sorted by UTF-16 code units, as in RFC 8785. For ASCII that is Python's own order."""
    if all(map(str.isascii, names)):
        return sorted(names)
    return sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))


def _scalar(value: Any, most: float) -> str:
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is Prefix:
        value = value.text
    if type(value) is str:
        return _quoted(value if len(value) <= most else value[: int(most)])
    return _number(double(value))


def _quoted(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    if text.isascii():
        return quoted
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", quoted)


def _number(number: float) -> str:
    """Number as ECMAScript formats it; null if it isn't finite."""
    if type(number) is int:
        return str(number)
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    digits, _, exponent = repr(abs(number)).partition("e")
    sign, power = "-" if number < 0 else "", int(exponent or 0)
    if not power:
        return sign + digits.removesuffix(".0")
    if power > 20 or power < -6:
        return f"{sign}{digits}e{power:+d}"
    digits = digits.replace(".", "")
    if power > 0:
        return sign + digits.ljust(power + 1, "0")
    return f"{sign}0.{'0' * (-power - 1)}{digits}"

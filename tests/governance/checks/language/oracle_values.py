"""JSON values of the oracle: types, numbers and texts, implemented in the simplest way."""

import json
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

GONE = type("Gone", (), {"__repr__": lambda self: "GONE"})()


def spread(value: Any, step: str) -> Any:
    if step == "[*]":
        return value if isinstance(value, list) else GONE
    if not isinstance(value, dict):
        return GONE
    return [value[name] for name in sorted(value, key=units)]


def units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def decoded(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return GONE
    numbers = [float_of(each) for each in walked(value) if isinstance(each, float | int)]
    sane = all(map(math.isfinite, numbers))
    return rounded(value) if sane and depth(value) <= 100 and len(text) <= 4_194_304 else GONE


def depth(value: Any) -> int:
    inner = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    )
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def walked(value: Any) -> Iterator[Any]:
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from walked(each)


def float_of(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def rounded(value: Any) -> Any:
    """The value with all numbers as IEEE doubles."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float_of(value) if is_number else value


def kind(value: Any) -> str:
    names = {bool: "bool", float: "number", int: "number", str: "string", list: "array"}
    return names.get(type(value), "null" if value is None else "object")


def equal_values(left: Any, right: Any) -> bool:
    if kind(left) != kind(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(
            equal_values(left[name], right[name]) for name in left
        )
    if isinstance(left, list):
        return len(left) == len(right) and all(map(equal_values, left, right))
    return bool(left == right)


def compared(left: float, op: str, right: float) -> bool:
    return {"gt": left > right, "gte": left >= right, "lt": left < right, "lte": left <= right}[op]


def same(value: Any) -> Any:
    return value


def lowered(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return "".join(each.lower() if "A" <= each <= "Z" else each for each in value)


def without_halves(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in text)


def shown(value: Any) -> Any:
    if value is GONE:
        return None
    if isinstance(value, str):
        return without_halves(value[:200])
    text = canonical(value)
    return text[:200] if len(text) > 200 or "\\ud" in text else value


def canonical(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{quoted(name)}:{canonical(value[name])}" for name in sorted(value, key=units))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return number(float_of(value))


def quoted(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r"}
    escapes["\t"] = "\\t"
    return '"' + "".join(escapes.get(each) or escaped(each) for each in text) + '"'


def escaped(character: str) -> str:
    is_plain = character >= " " and not "\ud800" <= character <= "\udfff"
    return character if is_plain else f"\\u{ord(character):04x}"


def number(value: float) -> str:
    """Format a number by ECMAScript's Number::toString: digits s, count k, point after n."""
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    if value < 0:
        return "-" + number(-value)
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    s, k = "".join(map(str, digits)), len(digits)
    n = k + exponent
    if k <= n <= 21:
        return s + "0" * (n - k)
    if 0 < n <= 21:
        return s[:n] + "." + s[n:]
    if -6 < n <= 0:
        return "0." + "0" * -n + s
    point = "." + s[1:] if k > 1 else ""
    return f"{s[0]}{point}e{'+' if n > 0 else '-'}{abs(n - 1)}"

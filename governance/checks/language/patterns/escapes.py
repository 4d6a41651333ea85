"""Escape sequences for single characters."""

from governance.checks.language.patterns.nodes import HIGHEST, PatternRefused, Reason

_NAMED = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_OCTAL = "01234567"
_HEX = "0123456789abcdefABCDEF"


def escaped(pattern: str, place: int) -> tuple[int, int]:
    """Code point of the escape sequence at `place`, and the index after it."""
    at = place + 1
    if at >= len(pattern):
        raise PatternRefused("The pattern ends in a backslash.", place)
    sign = pattern[at]
    if sign in _NAMED:
        return _NAMED[sign], at + 1
    if sign == "x":
        return _hexadecimal(pattern, place)
    if sign == "0" or (sign in _OCTAL and pattern[at + 1 : at + 2] in tuple(_OCTAL)):
        end = at + 1
        while end < at + 3 and end < len(pattern) and pattern[end] in _OCTAL:
            end += 1
        return int(pattern[at:end], 8), end
    if sign.isascii() and not sign.isalnum():
        return ord(sign), at + 1
    raise _refused(sign, place)


def _hexadecimal(pattern: str, place: int) -> tuple[int, int]:
    begin = place + 2
    if pattern[begin : begin + 1] == "{":
        begin += 1
        end = pattern.find("}", begin)
        behind = end + 1
    else:
        end = behind = begin + 2
    digits = pattern[begin:end] if end >= 0 else ""
    least = 2 if end == behind else 1
    if len(digits) < least or any(digit not in _HEX for digit in digits):
        raise PatternRefused(r"A code point is written \x41 or \x{1F600}.", place)
    # Allow leading zeros, but don't parse very long numbers.
    if len(digits.lstrip("0")) > 6 or int(digits[-6:], 16) > HIGHEST:
        raise PatternRefused("Unknown code point. The highest is 10FFFF.", place)
    return int(digits[-6:], 16), behind


def _refused(sign: str, place: int) -> PatternRefused:
    if sign in "pP":
        return PatternRefused(
            r"Unicode classes (\p) are not supported. Write the ranges you mean.",
            place,
            reason=Reason.UNICODE_CLASS,
        )
    if sign == "C":
        return PatternRefused(
            r"\C means one byte, but patterns match characters.",
            place,
            reason=Reason.SINGLE_BYTE,
        )
    if sign in "123456789k":
        return PatternRefused(
            "A pattern cannot refer back to a group: that takes more than linear time.", place
        )
    if sign == "Z":
        return PatternRefused(r"Write \z for the end of the text.", place)
    return PatternRefused(f"\\{sign} is not an escape.", place)

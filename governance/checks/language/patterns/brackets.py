"""Character classes in brackets: `[a-z]`, `[^\\d]`, `[[:alpha:]_]`."""

from governance.checks.language.patterns.characters import POSIX, SHORT, all_but, both_cases, united
from governance.checks.language.patterns.escapes import escaped
from governance.checks.language.patterns.nodes import PatternRefused, Ranges


def bracketed(pattern: str, place: int, *, ignore_case: bool) -> tuple[Ranges, int]:
    """The character set of the bracket at `place`, and the index after it."""
    at = place + 1
    negated = pattern.startswith("^", at)
    at += negated
    ranges: list[tuple[int, int]] = []
    first = True
    while first or not pattern.startswith("]", at):
        if at >= len(pattern):
            raise PatternRefused("A [ is not closed by a ].", place)
        first = False
        if (named := _posix(pattern, at)) or (named := short(pattern, at)):
            chosen, inverted, at = named
            # Fold case before negating: (?i)[^k] must not match K either.
            chosen = both_cases(chosen) if ignore_case else chosen
            ranges += all_but(chosen) if inverted else chosen
            continue
        low, at = _range(pattern, place, at)
        ranges += both_cases((low,)) if ignore_case else (low,)
    chosen = united(ranges)
    return (all_but(chosen) if negated else chosen), at + 1


def short(pattern: str, at: int) -> tuple[Ranges, bool, int] | None:
    r"""Ranges of `\d` or `\W` at this index, whether they are negated, and the index after it."""
    if pattern.startswith("\\", at) and pattern[at + 1 : at + 2].lower() in SHORT:
        letter = pattern[at + 1]
        return SHORT[letter.lower()], letter.isupper(), at + 2
    return None


def _posix(pattern: str, at: int) -> tuple[Ranges, bool, int] | None:
    if not pattern.startswith("[:", at) or (end := pattern.find(":]", at + 2)) < 0:
        return None
    word = pattern[at + 2 : end]
    name = word.removeprefix("^")
    if name not in POSIX:
        raise PatternRefused(
            f"There is no class [:{word[:40]}:]; the classes are {', '.join(POSIX)}.", at
        )
    return POSIX[name], word != name, end + 2


def _range(pattern: str, opened: int, at: int) -> tuple[tuple[int, int], int]:
    begin = at
    low, at = _character(pattern, opened, at)
    if not pattern.startswith("-", at) or pattern.startswith("-]", at):
        return (low, low), at
    if at + 1 >= len(pattern):
        raise PatternRefused("A [ is not closed by a ].", opened)
    high, at = _character(pattern, opened, at + 1)
    if high < low:
        raise PatternRefused(f"The range {pattern[begin:at]} runs backwards.", begin)
    return (low, high), at


def _character(pattern: str, opened: int, at: int) -> tuple[int, int]:
    if at >= len(pattern):
        raise PatternRefused("A [ is not closed by a ].", opened)
    if pattern[at] == "\\":
        return escaped(pattern, at)
    return ord(pattern[at]), at + 1

"""Character sets such as `\\d` and `[[:alpha:]]`, as ranges of code points."""

from collections.abc import Iterable

from governance.checks.language.patterns.nodes import HIGHEST, Ranges

NEWLINE = 0x0A
DIGITS: Ranges = ((0x30, 0x39),)
SPACES: Ranges = ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20))  # without the vertical tab, as in RE2
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
ANY_BUT_NEWLINE: Ranges = ((0, NEWLINE - 1), (NEWLINE + 1, HIGHEST))

SHORT: dict[str, Ranges] = {"d": DIGITS, "s": SPACES, "w": WORD}
POSIX: dict[str, Ranges] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": DIGITS,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}


def united(ranges: Iterable[tuple[int, int]]) -> Ranges:
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return tuple(joined)


def all_but(ranges: Ranges) -> Ranges:
    """Complement of `ranges`, which must be sorted and disjoint."""
    rest = []
    begin = 0
    for low, high in ranges:
        if begin < low:
            rest.append((begin, low - 1))
        begin = high + 1
    if begin <= HIGHEST:
        rest.append((begin, HIGHEST))
    return tuple(rest)


def both_cases(ranges: Ranges) -> Ranges:
    """Ranges plus the other case of A to Z; no other letters are folded."""
    more = list(ranges)
    for low, high in ranges:
        for first, last, other in ((0x41, 0x5A, 32), (0x61, 0x7A, -32)):
            if (begin := max(low, first)) <= (end := min(high, last)):
                more.append((begin + other, end + other))
    return united(more)

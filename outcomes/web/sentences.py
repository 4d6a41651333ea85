"""Numbers in sentences, and texts that sentences quote."""

from typing import Final

_WORDS: Final = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


def number_word(number: int) -> str:
    """As a sentence has it: words up to twelve, figures beyond."""
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"


def ordinal(number: int) -> str:
    teens = 10 < number % 100 < 14
    return f"{number:,}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def without_marks(text: str) -> str:
    """For sentences in which these marks stand around code."""
    return text.replace("`", "'")


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"

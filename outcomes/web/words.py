"""Numbers in sentences, and texts that sentences quote."""


def without_marks(text: str) -> str:
    """For sentences in which these marks stand around code."""
    return text.replace("`", "'")


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"

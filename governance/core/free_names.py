"""Names that are not in use."""

from collections.abc import Collection
from itertools import count


def as_free_name(name: str, used: Collection[str], longest: int = 120) -> str:
    """The name, or a numbered one such as file-agent-2 if it is in use. Only that is shortened."""
    if name not in used:
        return name
    cut = name[:longest]
    return next(free for number in count(2) if (free := f"{cut}-{number}") not in used)

"""Media types under which browsers receive artifacts: none that they would run as a page, script or
style from the console's own origin."""

from collections.abc import Mapping
from typing import Final

PLAIN: Final[Mapping[str, str]] = {  # with their file extensions
    "text/plain": ".txt",
    "application/json": ".json",
    "text/csv": ".csv",
}
UNKNOWN: Final = "application/octet-stream"


def kind_of(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def plain_type(media_type: str) -> str:
    """Safe media type: agents can declare any type."""
    kind = kind_of(media_type)
    return kind if kind in PLAIN else UNKNOWN

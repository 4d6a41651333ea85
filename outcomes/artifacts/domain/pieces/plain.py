"""The types that a browser may be told of what agents sent: none that it would take for a page, a
script or a style under the console's own name."""

from collections.abc import Mapping
from typing import Final

PLAIN: Final[Mapping[str, str]] = {  # with the endings of their files
    "text/plain": ".txt",
    "application/json": ".json",
    "text/csv": ".csv",
}
UNKNOWN: Final = "application/octet-stream"


def kind_of(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def plain_type(media_type: str) -> str:
    """An agent names the type as it likes."""
    kind = kind_of(media_type)
    return kind if kind in PLAIN else UNKNOWN

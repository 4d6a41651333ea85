"""Recorded calls read again, session by session, and judged by other checks than they were."""

from outcomes.rejudging.choosing import Chosen, Chunk, Place, Row, Share, place_of
from outcomes.rejudging.judging import (
    CheckFor,
    Judged,
    Judging,
    of_bindings,
    of_text,
)
from outcomes.rejudging.outputs import Recorded, outputs_of

__all__ = [
    "CheckFor",
    "Chosen",
    "Chunk",
    "Judged",
    "Judging",
    "Place",
    "Recorded",
    "Row",
    "Share",
    "of_bindings",
    "of_text",
    "outputs_of",
    "place_of",
]

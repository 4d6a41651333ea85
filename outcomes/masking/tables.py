"""Columns of the exported table of detectors and their counts."""

from typing import Final

from governance.core.tables import Columns
from outcomes.masking.queries.detectors import Line

DETECTORS: Final[Columns[Line]] = {
    "detector": lambda line: line.detector,
    "about": lambda line: line.name,
    "masks_before_storing": lambda line: line.is_on,
    "masked": lambda line: line.total.masked if line.total else 0,
    "last_at": lambda line: line.total.last_at if line.total else None,
}

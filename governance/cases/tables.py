"""Columns of the downloadable table of tests."""

from typing import Final

from governance.case_runs.domain import Result
from governance.core.tables import Columns
from governance.models import (
    Case,
)

CASES: Final[Columns[tuple[Case, Result | None]]] = {
    "name": lambda row: row[0].name,
    "passed": lambda row: row[1].passed if row[1] else None,
    "expected": lambda row: row[1].expected if row[1] else None,
    "got": lambda row: row[1].got if row[1] else None,
    "author": lambda row: row[0].author,
    "changed_at": lambda row: row[0].changed_at,
}

"""What keeps the console from accepting a post."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    part: str  # database, schema, inbox or artifacts
    detail: str

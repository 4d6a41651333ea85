"""Reasons why the server would not accept a post."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    part: str  # database, schema, inbox or artifacts
    detail: str
    # False for an object store: all hosts share it, so no other host would do better.
    blocks: bool = True

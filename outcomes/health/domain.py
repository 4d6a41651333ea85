"""Reasons why the console would not accept a post."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    part: str  # database, schema, inbox or artifacts
    detail: str

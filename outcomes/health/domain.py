"""Reasons why the console would not accept a post."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    part: str  # database, schema, inbox or artifacts
    detail: str
    # An object store is the same for all hosts: none of them accepts more posts than this one.
    blocks: bool = True

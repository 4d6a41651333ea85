"""Reads from a URL which two versions to compare, and its other parameters."""

from typing import NamedTuple

from django.http import HttpRequest

from governance.core.numbers import parse_number

OLD, NEW = "old", "new"


class Compared(NamedTuple):
    old: int
    new: int
    parameters: list[tuple[str, str]]  # for the form that selects other versions


def compared(request: HttpRequest, newest: int) -> Compared:
    """Versions in the URL; by default the newest one and the one before."""
    query = request.GET
    new = parse_number(query.get(NEW)) or newest
    old = parse_number(query.get(OLD)) or max(1, new - 1)
    return Compared(old, new, [each for each in query.dict().items() if each[0] not in (OLD, NEW)])

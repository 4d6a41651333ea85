"""Which two versions an address compares. What else it says stays: a time has a from and a to."""

from typing import NamedTuple

from django.http import HttpRequest

from governance.core.numbers import whole_number

OLD, NEW = "old", "new"


class Compared(NamedTuple):
    old: int
    new: int
    kept: list[tuple[str, str]]  # for the form that chooses two others


def compared(request: HttpRequest, newest: int) -> Compared:
    """Without a choice the newest and the one before."""
    asked = request.GET
    new = whole_number(asked.get(NEW)) or newest
    old = whole_number(asked.get(OLD)) or max(1, new - 1)
    return Compared(old, new, [each for each in asked.dict().items() if each[0] not in (OLD, NEW)])

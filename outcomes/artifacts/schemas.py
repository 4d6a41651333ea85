"""Requests of the artifacts API."""

from typing import Annotated

from ninja import Schema
from pydantic import AfterValidator, Field


def _forwards(lines: str) -> str:
    first, last = lines.split("-")
    if int(first) > int(last):
        raise ValueError("the first line is after the last; write lines=10-20")
    return lines


Lines = Annotated[
    str, Field(pattern=r"^[1-9][0-9]{0,11}-[1-9][0-9]{0,11}$"), AfterValidator(_forwards)
]


class LinesQuery(Schema):
    lines: Lines | None = None

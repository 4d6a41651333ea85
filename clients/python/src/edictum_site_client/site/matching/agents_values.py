"""Converts Python values to JSON the way agents report them."""

import base64
import dataclasses
import datetime
import decimal
import enum
import math
import pathlib
import uuid
from collections.abc import Mapping, Set
from typing import Any

DEEPEST = 64


def plain(value: Any, around: tuple[int, ...] = ()) -> Any:
    """JSON of any value. Never raises, and always terminates."""
    if value is None or type(value) in (bool, str):
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value, around)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if len(around) >= DEEPEST:
        return f"[{type(value).__name__}]"
    if id(value) in around:
        return "[circular]"
    try:
        return _inside(value, (*around, id(value)))
    except Exception:  # noqa: BLE001 - objects of others: whatever they do, there is a verdict
        return f"[{type(value).__name__}]"


def _inside(value: Any, around: tuple[int, ...]) -> Any:
    if isinstance(value, Mapping):
        return {str(name): plain(each, around) for name, each in value.items()}
    if isinstance(value, (list, tuple, Set)):
        return [plain(each, around) for each in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _text_of(bytes(value))
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, decimal.Decimal, pathlib.PurePath)):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {each.name: plain(getattr(value, each.name), around) for each in fields}
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    dump = getattr(value, "model_dump", None)  # pydantic, and message classes of several frameworks
    if callable(dump) and not isinstance(value, type):
        return plain(dump(), around)
    return str(value)


def _text_of(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return base64.b64encode(content).decode()

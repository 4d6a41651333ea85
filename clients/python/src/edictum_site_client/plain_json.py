"""Converts any Python value to a JSON value: a complete copy, or an error if it is too large.

Nothing is masked or cut here, so use this only for data that stays in the agent. Data that leaves
the agent goes through `values`.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import math
import pathlib
import uuid
from collections.abc import Iterable, Mapping, Set
from typing import Any

LARGEST = 64 * 1024 * 1024  # characters
A_PART = 64  # characters charged per value, which limits a copy to a million values
DEEPEST = 64
MOST_BITS = 13_000  # of an integer: about 4,000 digits, the most that Python converts to text


class TooLarge(Exception):
    """The value is longer than the limit."""


def json_value(value: Any, most: int = LARGEST) -> Any:
    """Plain copy of a value. Raises only `TooLarge`."""
    return _Copy(most).of(value, ())


class _Copy:
    def __init__(self, most: int) -> None:
        self._most = most
        self._left = most

    def of(self, value: Any, around: tuple[int, ...]) -> Any:
        self._spend(A_PART)
        if value is None or value is True or value is False:
            return value
        if isinstance(value, enum.Enum):
            return self.of(value.value, around)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return self._integer(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(float(value))
        if len(around) >= DEEPEST:
            return f"[{type(value).__name__}]"
        if id(value) in around:
            return "[circular]"
        try:
            return self._inside(value, (*around, id(value)))
        except TooLarge:
            raise
        except Exception:  # noqa: BLE001 - objects of others: whatever they do, there is an outcome
            return f"[{type(value).__name__}]"

    def _inside(self, value: Any, around: tuple[int, ...]) -> Any:
        if isinstance(value, Mapping):
            return self._object(value.items(), around)
        if isinstance(value, (list, tuple, Set)):
            return [self.of(item, around) for item in value]
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._bytes(bytes(value))
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, (uuid.UUID, decimal.Decimal, pathlib.PurePath)):
            return self._text(str(value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = dataclasses.fields(value)
            return self._object(((one.name, getattr(value, one.name)) for one in fields), around)
        if isinstance(value, BaseException):
            return self._text(f"{type(value).__name__}: {value}")
        dump = getattr(value, "model_dump", None)  # pydantic, and messages of several frameworks
        if callable(dump) and not isinstance(value, type):
            return self.of(dump(), around)
        return self._text(str(value))

    def _object(self, items: Iterable[tuple[Any, Any]], around: tuple[int, ...]) -> dict[str, Any]:
        copy: dict[str, Any] = {}
        for key, item in items:
            copy[self._text(key if isinstance(key, str) else str(key))] = self.of(item, around)
        return copy

    def _text(self, text: str) -> str:
        self._spend(len(text))
        return str.__str__(text)

    def _integer(self, value: int) -> int | str:
        bits = value.bit_length()
        self._spend(min(bits, MOST_BITS) // 4)
        return f"[{type(value).__name__} of {bits} bits]" if bits > MOST_BITS else int(value)

    def _bytes(self, content: bytes) -> str:
        self._spend(len(content))
        try:
            return content.decode()
        except UnicodeDecodeError:
            return base64.b64encode(content).decode()

    def _spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise TooLarge(f"The value has more than {self._most:,} characters.")

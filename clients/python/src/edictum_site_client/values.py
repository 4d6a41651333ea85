"""Converts any Python value to masked JSON: a copy, so later changes to the value have no effect.

Conversion always terminates, since depth, size and cycles are bounded. Only `Withheld` is raised.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import uuid
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from edictum_site_client.masking import MASK, Masking

DEEPEST = 64  # the console accepts 100 levels, and the item around a value needs some of them
MOST_PARTS = 100_000
SHORT_TEXT = 1_000
SHORT_LIST = 100
LONGEST_SECRET = 4_096
MOST_OF_A_CHARACTER = 6  # `\\u0000`
MOST_OF_A_PART = 32  # characters: a number, quotes, a comma, a colon
MOST_BITS = 13_000  # of an integer: about 4,000 digits, the most that JSON parsers accept


class Withheld(Exception):
    """The value must not leave the agent; the message says why."""


@dataclass
class _Walk:
    masking: Masking
    longest_text: int
    longest_list: int
    parts: int = 0
    characters: int = 0
    is_cut: bool = False
    around: set[int] = field(default_factory=set)


class Fitted(NamedTuple):
    value: Any
    is_cut: bool  # part of the value is missing


def jsonable(tool_name: str, value: Any, masking: Masking) -> Any:
    return fitted(tool_name, value, masking).value


def fitted(tool_name: str, value: Any, masking: Masking) -> Fitted:
    """Masked and truncated copy. Raises `Withheld` if the value must not leave the agent."""
    limit = masking.max_characters
    walk = _Walk(masking, limit, MOST_PARTS)
    shaped, fits = _fitted(value, walk, limit)
    for longest_text, longest_list in ((limit // 2, MOST_PARTS), (SHORT_TEXT, SHORT_LIST)):
        # Retry with half the length: the truncation note and escapes need space too.
        if not fits:
            walk = _Walk(masking, min(limit, longest_text), longest_list)
            shaped, fits = _fitted(value, walk, limit)
    is_cut = walk.is_cut
    if masking.also is not None:
        try:
            also = masking.also(tool_name, shaped)
        except Exception as error:
            raise Withheld("the masking of its own raised") from error
        again = _Walk(masking, limit, MOST_PARTS)  # the result can be any Python value
        shaped, fits = _fitted(also, again, limit)
        is_cut = is_cut or again.is_cut
    if not fits:
        raise Withheld(f"it is larger than the {limit} characters that may leave")
    return Fitted(shaped, is_cut)


def text_of(text: str, masking: Masking, longest: int = 8_000) -> str:
    return _masked(text, masking, min(longest, masking.max_characters))


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encoded(value: Any) -> bytes:
    return _json.encode(value).encode()


def _fitted(value: Any, walk: _Walk, limit: int) -> tuple[Any, bool]:
    shaped = _shaped(value, walk)
    # Encode to measure the size only if the estimate exceeds the limit.
    most = walk.characters * MOST_OF_A_CHARACTER + walk.parts * MOST_OF_A_PART
    return shaped, most <= limit or len(_json.encode(shaped)) <= limit


def _shaped(value: Any, walk: _Walk) -> Any:
    walk.parts += 1
    if value is None or value is True or value is False:
        return value
    if type(value) is str:
        return _text(value, walk)
    if isinstance(value, enum.Enum):
        return _shaped(value.value, walk)
    if isinstance(value, str):
        return _text(value, walk)
    if isinstance(value, int):
        return _integer(int(value), walk)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if walk.parts > MOST_PARTS or len(walk.around) >= DEEPEST:
        walk.is_cut = True
        return f"[{type(value).__name__}]"  # not its text, which may be just as large
    if id(value) in walk.around:
        return "[circular]"
    walk.around.add(id(value))
    try:
        return _container(value, walk)
    except Exception:  # noqa: BLE001 - objects of others: whatever they do, the tool call goes on
        return f"[{type(value).__name__}]"
    finally:
        walk.around.discard(id(value))


def _integer(value: int, walk: _Walk) -> int | str:
    """Integer kept as a number, since checks compare it; a type note if it is too large."""
    bits = value.bit_length()
    if bits > MOST_BITS:
        walk.is_cut = True
        return f"[{type(value).__name__} of {bits} bits]"
    walk.characters += bits // 64
    return value


def _container(value: Any, walk: _Walk) -> Any:
    if isinstance(value, Mapping):
        return _object(value, walk)
    if isinstance(value, (list, tuple, Set)):
        items = [_shaped(item, walk) for item in list(value)[: walk.longest_list]]
        left = len(value) - len(items)
        walk.is_cut = walk.is_cut or left > 0
        return [*items, f"[{left} more were cut]"] if left else items
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(bytes(value), walk)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, decimal.Decimal, pathlib.PurePath)):
        return _text(str(value), walk)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        return _object(fields, walk)
    if isinstance(value, BaseException):
        return _text(f"{type(value).__name__}: {value}", walk)
    dump = getattr(value, "model_dump", None)  # pydantic, and the messages of several frameworks
    if callable(dump) and not isinstance(value, type):
        return _shaped(dump(), walk)
    return _as_words(value, walk)


def _object(value: Mapping[Any, Any], walk: _Walk) -> dict[str, Any]:
    shaped: dict[str, Any] = {}
    for key, item in value.items():
        if len(shaped) >= walk.longest_list:
            walk.is_cut = True
            shaped["[cut]"] = f"{len(value) - len(shaped)} more"
            break
        name = _clean(key if isinstance(key, str) else str(key))
        walk.characters += len(name)
        shaped[name[:SHORT_TEXT]] = (
            MASK if walk.masking.hides(name) and item is not None else _shaped(item, walk)
        )
    return shaped


def _bytes(value: bytes, walk: _Walk) -> str:
    try:
        return _text(value.decode(), walk)
    except UnicodeDecodeError:
        walk.is_cut = walk.is_cut or len(value) > walk.longest_text
        return _text(base64.b64encode(value[: walk.longest_text]).decode(), walk)


def _as_words(value: Any, walk: _Walk) -> str:
    try:
        text = str(value)
        walk.is_cut = walk.is_cut or len(text) > SHORT_TEXT * 2
        return _text(text[: SHORT_TEXT * 2], walk)
    except Exception:  # noqa: BLE001 - as above
        return f"[{type(value).__name__}]"


def _text(text: str, walk: _Walk) -> str:
    walk.is_cut = walk.is_cut or len(text) > walk.longest_text
    masked = _both_ends(text, walk.masking, walk.longest_text)
    walk.characters += len(masked)
    return masked


def _both_ends(text: str, masking: Masking, longest: int) -> str:
    """Beginning and end of a long text, the parts where most errors appear."""
    if len(text) <= longest:
        return _masked(text, masking, longest)
    at_end = longest // 5
    # A secret cut here loses the prefix that identifies it, so mask with a margin before cutting.
    margin = min(LONGEST_SECRET, len(text) - at_end)
    end = masking.text(_clean(text[len(text) - at_end - margin :]))
    end = end[max(margin, len(end) - at_end) :]
    return f"{_masked(text, masking, longest - at_end)} …{end}"


def _masked(text: str, masking: Masking, longest: int) -> str:
    # Cut after masking, so that no secret loses the part that identifies it.
    masked = masking.text(_clean(text[: longest + LONGEST_SECRET]))
    return masked if len(text) <= longest else f"{masked[:longest]}… [{len(text)} characters]"


def _clean(text: str) -> str:
    """Text without lone surrogates, which are invalid in JSON."""
    if text.isascii():
        return str(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return str(text)

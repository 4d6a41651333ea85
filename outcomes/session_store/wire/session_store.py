"""Request bodies of the session store, parsed strictly: limits depend on them."""

import math
from typing import TypeVar

import msgspec

from governance.core.texts import is_storable
from outcomes.record.wire.refusals import BodyRefused
from outcomes.session_store.domain import LARGEST_VALUE, LONGEST_KEY

MOST_KEYS = 1_000  # per batch; an SDK requests three


class _Put(msgspec.Struct):
    value: str


class _Increment(msgspec.Struct):
    amount: int | float = 1


class _Batch(msgspec.Struct):
    keys: list[str]


_PUT = msgspec.json.Decoder(_Put)
_INCREMENT = msgspec.json.Decoder(_Increment)
_BATCH = msgspec.json.Decoder(_Batch)

Read = TypeVar("Read")


def read_key(key: str) -> str:
    if len(key) > LONGEST_KEY:
        raise BodyRefused(422, "key_too_long", f"A key has at most {LONGEST_KEY:,} characters.")
    if not is_storable(key):
        raise BodyRefused(422, "invalid_key", "A key may not contain NUL or a lone surrogate.")
    return key


def read_value(body: bytes) -> str:
    value = _read(_PUT, body, '{"value": "…"}').value
    size = len(value) if value.isascii() else len(value.encode())
    if size > LARGEST_VALUE:
        raise BodyRefused(413, "too_large", f"A value has at most {LARGEST_VALUE:,} bytes.")
    return value


def read_amount(body: bytes) -> int | float:
    amount = _read(_INCREMENT, body, '{"amount": 1}').amount
    if not math.isfinite(amount):
        raise BodyRefused(422, "invalid_amount", "The amount is not a number.")
    return amount


def read_keys(body: bytes) -> list[str]:
    keys = _read(_BATCH, body, '{"keys": […]}').keys
    if len(keys) > MOST_KEYS:
        raise BodyRefused(413, "too_large", f"A batch has at most {MOST_KEYS:,} keys.")
    return [read_key(key) for key in keys]


def _read(decoder: msgspec.json.Decoder[Read], body: bytes, expected: str) -> Read:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise BodyRefused(422, "wrong_shape", f"{error}. Expected {expected}.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise BodyRefused(
            400, "not_json", f"The body is not valid JSON. Expected {expected}."
        ) from None

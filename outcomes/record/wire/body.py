"""A posted body, cut into its items so that a bad one is refused alone."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from outcomes.record.wire.deep import without_the_deep
from outcomes.record.wire.refusals import EXCERPT, BodyRefused, ItemRefused, Refusal, refused
from outcomes.record.wire.sender import Source
from outcomes.record.wire.unpacking import refuse_too_many, refuse_too_much, unpacked


@dataclass(frozen=True, slots=True)
class Body:
    """Items in the text they came in, by their index; and those that are no JSON at all."""

    items: Sequence[tuple[int, bytes]]
    refusals: list[Refusal]
    manifest: bytes = b""  # the rules that a gate says it holds, sent along with its events


class _Outcomes(msgspec.Struct):
    outcomes: list[msgspec.Raw]


class _Events(msgspec.Struct):
    events: list[msgspec.Raw]
    agent_manifest: msgspec.Raw = msgspec.Raw(b"")


_DECODERS: dict[Source, msgspec.json.Decoder[Any]] = {
    "outcomes": msgspec.json.Decoder(_Outcomes),
    "events": msgspec.json.Decoder(_Events),
}


def read_body(body: bytes, encoding: str, source: Source) -> Body:
    body = unpacked(body, encoding)
    refuse_too_much(body, source)
    try:
        posted = _DECODERS[source].decode(body)
        raws = getattr(posted, source)
    except msgspec.ValidationError as error:
        raise BodyRefused(422, "wrong_shape", f"{error}. Expected {{{source!r}: [...]}}.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        # One item that is no JSON spoils the split of all: take them apart the slow way.
        return _read_slowly(body, source)
    refuse_too_many(len(raws))
    manifest = bytes(posted.agent_manifest) if source == "events" else b""
    return Body(list(enumerate(map(bytes, raws))), [], manifest)


def _read_slowly(body: bytes, source: Source) -> Body:
    deep: frozenset[int] = frozenset()
    try:
        try:
            posted = _loaded(body)
        except RecursionError:
            body, deep = without_the_deep(body)
            posted = _loaded(body)
    except ValueError:
        raise BodyRefused(400, "not_json", "The body is not JSON.") from None
    except RecursionError:
        raise BodyRefused(400, "too_deep", "The body is nested too deeply.") from None
    items = posted.get(source) if isinstance(posted, dict) else None
    if not isinstance(items, list):
        raise BodyRefused(422, "wrong_shape", f"Expected {{{source!r}: [...]}}.")
    refuse_too_many(len(items))
    items_read: list[tuple[int, bytes]] = []
    refusals = []
    for index, item in enumerate(items):
        try:
            if item == 0 and index in deep:
                raise RecursionError
            items_read.append((index, _as_json(item)))
        except (ValueError, RecursionError) as error:
            why = _why_no_json(error)
            excerpt = "" if isinstance(error, RecursionError) else json.dumps(item)[:EXCERPT]
            refusals.append(Refusal(index, why.code, why.detail, excerpt.encode()))
    return Body(items_read, refusals)


def _loaded(body: bytes) -> object:
    # Invalid UTF-8 becomes lone surrogates here, which only the item that has them cannot pass.
    text = body.decode("utf-8", "surrogateescape")
    return json.loads(text, strict=False, parse_int=_integer)


def _integer(digits: str) -> float | int:
    # Python refuses to read longer ones; not a number, so that only this item falls.
    return int(digits) if len(digits) <= 4_300 else float("nan")


def _as_json(item: object) -> bytes:
    return json.dumps(item, ensure_ascii=False, allow_nan=False).encode()


def _why_no_json(error: Exception) -> ItemRefused:
    if isinstance(error, UnicodeEncodeError):
        return ItemRefused("lone_surrogate", "A string in the item is not valid Unicode.")
    if isinstance(error, RecursionError):
        return refused(error)
    return ItemRefused("not_a_number", "NaN, Infinity and numbers out of range are not JSON.")

"""The sessions of a day, counted in groups of those that are alike, packed."""

from collections.abc import Iterable
from typing import Final

import msgspec

# By name: environment, agent, contract and the number of its version; how it was stopped, by which
# limit, what it has; and how many there are. None: there is none.
AlikeSessions = tuple[str, str | None, str | None, int | None, str, str, int, int]

_encode: Final = msgspec.msgpack.Encoder().encode
_groups: Final = msgspec.msgpack.Decoder(list[AlikeSessions])


def pack_groups(groups: Iterable[AlikeSessions]) -> bytes:
    return _encode(list(groups))


def unpack_groups(packed: bytes) -> list[AlikeSessions]:
    return _groups.decode(packed)

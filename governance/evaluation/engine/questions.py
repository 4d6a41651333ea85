"""Encodes recorded calls as questions from their stored JSON, without decoding it."""

from functools import lru_cache

import msgspec

_encoder = msgspec.json.Encoder()
_MOST_CACHED = 10_000


def question(
    tool: str,
    environment: str,
    arguments: bytes = b"{}",
    principal: bytes = b"null",
    output: bytes | None = None,
) -> bytes:
    """Question as JSON. `output` is whatever the tool returned; without it no post rule runs."""
    parts = [_quoted(tool), arguments, principal, _quoted(environment)]
    if output is not None:
        parts.append(output)
    return b"[%b]" % b",".join(parts)


@lru_cache(maxsize=_MOST_CACHED)
def _quoted(name: str) -> bytes:
    return _encoder.encode(name)

"""Address and user agent of the request that makes a change."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from governance.core.masking import masked_text

_headers: ContextVar[Mapping[str, Any] | None] = ContextVar("audit source", default=None)


class Source(NamedTuple):
    address: str = ""
    user_agent: str = ""


@contextmanager
def request_source(headers: Mapping[str, Any]) -> Iterator[None]:
    """Record entries in this context with the address and user agent of these headers."""
    before = _headers.set(headers)
    try:
        yield
    finally:
        _headers.reset(before)


def current_source() -> Source:
    """Source of the current request; empty in a worker or a shell."""
    headers = _headers.get()
    if headers is None:
        return Source()
    user_agent = masked_text(str(headers.get("HTTP_USER_AGENT", ""))[:1_000])[0]
    return Source(str(headers.get("REMOTE_ADDR", "")), user_agent)

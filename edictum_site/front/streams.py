"""Interface of the code that holds streams: coroutines, with the front's threads for queries."""

from typing import Any, Protocol

from edictum_site.front.replies import Header, Reply
from edictum_site.front.sending import Client
from edictum_site.front.threads import Threads

STREAM_HEAD: list[Header] = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


class Streams(Protocol):
    def start(self, threads: Threads) -> None:
        """On the event loop, before the first request; `threads` are those of the application."""

    def stop(self) -> None:
        """End all that are open, at once; asked more than once."""

    async def serve(self, memory: dict[str, Any], client: Client) -> Reply | None:
        """Hold the client until either side leaves, or say why it gets no stream."""

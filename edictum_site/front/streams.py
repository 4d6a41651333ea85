"""Interface of the stream server: coroutines that use the front's threads for queries."""

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
        """Called on the event loop before the first request, with the application's threads."""

    def stop(self) -> None:
        """Close all open streams at once; may be called more than once."""

    async def serve(self, memory: dict[str, Any], client: Client) -> Reply | None:
        """Serve a stream until either side closes it, or return a reply that refuses it."""

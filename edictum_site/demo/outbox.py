"""Events and outcomes of the agents, posted in batches in the background."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from edictum_site.demo.door import Door, DoorRefused

AT_ONCE: Final = 400  # items per post


class Outbox:
    """Queue of one key, whose posts are sent one at a time in the order of reporting."""

    def __init__(self, door: Door, posted: Callable[[int], None]) -> None:
        self._door = door
        self._posted = posted
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._waiting: dict[str, list[dict[str, Any]]] = {"events": [], "outcomes": []}
        self._on_the_way: list[Future[None]] = []

    def put(self, family: str, item: dict[str, Any]) -> None:
        waiting = self._waiting[family]
        waiting.append(item)
        if len(waiting) >= AT_ONCE:
            self._send(family)

    def flush(self) -> None:
        """Wait until everything queued is acknowledged."""
        for family in self._waiting:
            self._send(family)
        for post in self._on_the_way:
            post.result()
        self._on_the_way.clear()

    def close(self) -> None:
        self._thread.shutdown()
        self._door.close()

    def _send(self, family: str) -> None:
        items, self._waiting[family] = self._waiting[family], []
        if items:
            self._on_the_way.append(self._thread.submit(self._post, family, items))
        if len(self._on_the_way) > 4:  # don't get ahead of the console
            self._on_the_way.pop(0).result()

    def _post(self, family: str, items: list[dict[str, Any]]) -> None:
        answer = self._door.ask("POST", family, {family: items})
        if answer.get("rejected"):
            raise DoorRefused(f"{len(answer['rejected'])} {family}: {answer['rejected'][0]}")
        if family == "outcomes":
            self._posted(len(items))

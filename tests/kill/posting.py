"""Client of a drill that retries each post until it is acknowledged, whichever process dies."""

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.kill.load import Post

PATIENCE = 20.0  # seconds to wait for a response
GIVE_UP = 120.0  # seconds without any response until the drill fails


class Broken(Exception):
    """The product did not restart, or sent a response that it never should."""


@dataclass(slots=True)
class Acknowledged:
    calls: set[str] = field(default_factory=set)
    posts: int = 0
    repeats: int = 0  # bodies sent again because there was no response
    statuses: Counter[int] = field(default_factory=Counter)


class Poster:
    """Several clients that share a sequence of posts and stop at the released number."""

    def __init__(self, posts: Iterable[Post], address: Callable[[], tuple[str, int]], key: str):
        self._posts = iter(posts)
        self._address = address
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._changed = threading.Condition()
        self._let = self._accepted = 0
        self.acknowledged = Acknowledged()
        self.failed: list[Exception] = []
        self._threads: list[threading.Thread] = []

    def start(self, clients: int) -> None:
        self._threads = [
            threading.Thread(target=self._run, daemon=True) for _ in range(clients)
        ]  # daemons, so that a failed drill doesn't wait for them
        for thread in self._threads:
            thread.start()

    def let(self, posts: int) -> None:
        """Release posts up to this total."""
        with self._changed:
            self._let = posts
            self._changed.notify_all()

    def wait_for(self, posts: int) -> None:
        with self._changed:
            enough = self._changed.wait_for(
                lambda: self.failed or self.acknowledged.posts >= posts, GIVE_UP
            )
        self.refuse_failure()
        if not enough:
            raise Broken(f"{self.acknowledged.posts} of {posts} posts were acknowledged")

    def refuse_failure(self) -> None:
        if self.failed:
            raise self.failed[0]

    def _run(self) -> None:
        try:
            while (post := self._next()) is not None:
                self._send(post)
        except Exception as error:  # noqa: BLE001 - told to who waits, whatever it is
            with self._changed:
                self.failed.append(error)
                self._changed.notify_all()

    def _next(self) -> Post | None:
        with self._changed:
            self._changed.wait_for(lambda: self._accepted < self._let)
            self._accepted += 1
            return next(self._posts, None)

    def _send(self, post: Post) -> None:
        until = time.monotonic() + GIVE_UP
        while not self._sent(post):
            if time.monotonic() > until:
                raise Broken(f"no answer for {GIVE_UP:.0f} s")
            with self._changed:
                self.acknowledged.repeats += 1
            time.sleep(0.05)
        with self._changed:
            self.acknowledged.calls.update(post.calls)
            self.acknowledged.posts += 1
            self._changed.notify_all()

    def _sent(self, post: Post) -> bool:
        connection = http.client.HTTPConnection(*self._address(), timeout=PATIENCE)
        try:
            connection.request("POST", f"/v1/{post.path}", post.body, self._headers)
            answer = connection.getresponse()
            words = answer.read()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        with self._changed:
            self.acknowledged.statuses[answer.status] += 1
        if answer.status >= 500:
            return False
        body = json.loads(words)
        if answer.status != 202 or body["rejected"] or body["accepted"] != len(post.calls):
            raise Broken(f"{answer.status}: {words[:500]!r}")
        return True

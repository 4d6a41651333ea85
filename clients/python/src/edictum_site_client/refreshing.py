"""Fetches newer versions of the checks in use in the background."""

from __future__ import annotations

import os
import random
import threading
import time
import weakref

from edictum_site_client.named_checks import Followed
from edictum_site_client.transport import Transport

FIRST_PAUSE = 1.0  # seconds after a failure, doubling up to the interval


class Refresher:
    """Background refresher whose thread runs only while a check may still change."""

    def __init__(self, transport: Transport, interval: float) -> None:
        self._transport = transport
        self._interval = interval
        self._followed: weakref.WeakSet[Followed] = weakref.WeakSet()
        self._closed = False
        self._begin()
        _REFRESHERS.add(self)

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._network = threading.Lock()
        self._thread: threading.Thread | None = None
        self._tries = 0
        self._due = 0.0  # time of the next request

    def forked(self) -> None:
        """Reset after a fork: the child has no thread; the next use of a check starts one."""
        self._transport.close()
        self._begin()

    def follow(self, followed: Followed) -> None:
        """Fetch now, then keep refreshing in the background."""
        self._refresh(followed)
        with self._changed:
            self._followed.add(followed)
            self._due = min(self._due, self._next()) if self._thread else self._next()
            self._changed.notify_all()
        self.run()

    def run(self) -> None:
        """Start the thread if needed. Called for every result, so nearly free while it runs."""
        if self._thread is not None or self._closed:
            return
        with self._changed:
            if self._thread is None and not self._closed and self._unsettled():
                self._thread = threading.Thread(
                    target=self._work, name="edictum-site-checks", daemon=True
                )
                try:
                    self._thread.start()
                except RuntimeError:  # no more threads, or the interpreter is ending
                    self._thread = None

    def close(self, timeout: float) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        self._transport.cut()
        if thread is not None:
            thread.join(timeout)

    def _unsettled(self) -> list[Followed]:
        return [one for one in self._followed if not one.settled]

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._closed and (left := self._due - time.monotonic()) > 0:
                    self._changed.wait(left)
                due = [] if self._closed else self._unsettled()
                if not due:
                    self._transport.close()
                    self._thread = None
                    return
            answered = [self._refresh(one) for one in due]
            del due  # or this thread would keep unused checks alive
            with self._changed:
                self._tries = 0 if all(answered) else self._tries + 1
                self._due = self._next()

    def _next(self) -> float:
        longest = self._interval
        if self._tries or any(one.held is None for one in self._followed):
            longest = min(longest, FIRST_PAUSE * 2.0 ** min(self._tries, 16))
        return time.monotonic() + longest * random.uniform(0.75, 1.0)  # noqa: S311 - to spread agents, not to hide

    def _refresh(self, followed: Followed) -> bool:
        # Hold the lock until the response is stored, or an older one could overwrite a newer one.
        with self._network:
            return followed.refresh(self._transport.get)


_REFRESHERS: weakref.WeakSet[Refresher] = weakref.WeakSet()


def _in_the_child() -> None:
    for refresher in list(_REFRESHERS):
        refresher.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_the_child)

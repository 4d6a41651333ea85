"""Threads of the front, and exports that pause while requests wait."""

import asyncio
import time

from edictum_site.front.threads import RECENTLY, Threads


def test_threads_are_busy_until_shortly_after_the_last_request(monkeypatch):
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    threads = Threads(1, "test")
    threads.start()
    assert not threads.is_busy()
    asyncio.run(threads.run(int))
    threads.stop()  # records when the last job ended
    now += RECENTLY / 2
    assert threads.is_busy()
    now += RECENTLY
    assert not threads.is_busy()

"""Threads of the front, and exports that pause while requests wait."""

import asyncio
import time

from edictum_site.front.threads import RECENTLY, Threads


def test_threads_count_as_busy_until_no_request_has_run_for_a_moment(monkeypatch):
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    threads = Threads(1, "test")
    threads.start()
    assert not threads.is_busy()
    asyncio.run(threads.run(int))
    threads.stop()  # the thread has noted when its last job ended
    now += RECENTLY / 2
    assert threads.is_busy()
    now += RECENTLY
    assert not threads.is_busy()

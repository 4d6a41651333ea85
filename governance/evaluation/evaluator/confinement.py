"""Drops privileges permanently, before the process reads its first document."""

import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

DESCRIPTORS = 16
PRIORITY = 15  # below the worker, so that serving and processing come first
SESSION_PRIORITY = 5  # a third of a server's share: enough to answer in time next to other work
_SESSION_WEIGHT = Path("/proc/self/autogroup")


def quiet_streams() -> tuple[int, int]:
    """Move both pipes to other descriptors, so that prints go nowhere."""
    requests, replies = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return requests, replies


def stand_back() -> None:
    """Lower the priority of the process and of its session. Linux may divide the CPU between
    sessions first: a low-priority process alone in its session then gets as large a share as the
    server or the database in theirs."""
    os.setpriority(os.PRIO_PROCESS, 0, max(PRIORITY, os.getpriority(os.PRIO_PROCESS, 0)))
    if os.getsid(0) != os.getpid():
        return  # would lower other processes of the session too
    for _ in range(5):
        with suppress(FileNotFoundError, PermissionError):
            try:
                _SESSION_WEIGHT.write_text(str(SESSION_PRIORITY))
            except BlockingIOError:  # rate limit: one change per 0.1 s across all sessions
                time.sleep(0.1)
                continue
        return


def confine(memory: int) -> None:
    stand_back()
    os.environ.clear()  # an interpreter without a locale sets LC_CTYPE itself
    for kind, value in ((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(kind, (value, value))
    if sys.platform != "darwin":  # defines this limit but refuses to set it
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    with suppress(OSError):  # the table is now full: no file or socket can be opened
        while True:
            os.dup(2)

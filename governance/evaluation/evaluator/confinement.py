"""Privileges that the process drops, for good, before it reads the first document."""

import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

DESCRIPTORS = 16
PRIORITY = 15  # below the worker: those who serve and who settle come first
SESSION_PRIORITY = 5  # a third of the share of a server: enough to answer in time beside other work
_SESSION_WEIGHT = Path("/proc/self/autogroup")


def quiet_streams() -> tuple[int, int]:
    """Move both pipes to descriptors of their own, so that prints go nowhere."""
    requests, replies = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return requests, replies


def stand_back() -> None:
    """Linux may weigh sessions against each other, and only within each of them its processes: then
    a process of low priority has as large a share as the server, or the database, in theirs."""
    os.setpriority(os.PRIO_PROCESS, 0, max(PRIORITY, os.getpriority(os.PRIO_PROCESS, 0)))
    if os.getsid(0) != os.getpid():
        return  # others of the session would lose weight too
    for _ in range(5):
        with suppress(FileNotFoundError, PermissionError):
            try:
                _SESSION_WEIGHT.write_text(str(SESSION_PRIORITY))
            except BlockingIOError:  # one change in a tenth of a second, of all sessions
                time.sleep(0.1)
                continue
        return


def confine(memory: int) -> None:
    stand_back()
    os.environ.clear()  # an interpreter without a locale sets LC_CTYPE for itself
    for kind, value in ((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(kind, (value, value))
    if sys.platform != "darwin":  # which knows the name of this limit and refuses to set it
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    with suppress(OSError):  # the table is full now: no file and no socket can be opened
        while True:
            os.dup(2)

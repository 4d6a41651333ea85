"""Start child processes, restart those that die, and stop them in order."""

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from edictum_site.stack.children import Child, keep_small
from edictum_site.stack.options import StartRefused
from edictum_site.stack.port import FirstPage
from edictum_site.stack.signals import Signals
from edictum_site.stack.terminal import say

# Children get SIGTERM in this order. The value is the time in seconds, since the stop began, after
# which the next one gets it even if this one still runs. The web process finishes its requests
# while the worker runs; Redis stops after both.
ORDER_OF_STOP = {
    **{"prepare": 2.0, "web-check": 2.0, "worker-check": 2.0, "scheduler-check": 2.0},
    **{"scheduler": 2.0, "web": 2.0, "worker": 9.0, "jobs": 9.0, "redis": 10.0},
}

LOOKS_EVERY = 5.0  # seconds


class StopRequested(Exception):
    """A stop was requested by Ctrl-C or another signal."""


class Supervisor:
    """Starts and watches child processes. `note` is a file that lists them and the URL, for other
    programs on this machine."""

    def __init__(self, signals: Signals, url: str, note: Path) -> None:
        self._signals = signals
        self._url = url
        self._note = note
        self._children: list[Child] = []
        self._serving = False
        self._owes_note = False

    def start(self, child: Child) -> None:
        self._children.append(child)
        child.start()
        self._write_note()

    def run_to_its_end(self, child: Child) -> None:
        """Run a one-time task that must succeed before anything else starts."""
        self.start(child)
        code = None
        while code is None:
            ended = self._turn()
            code = ended.pop(child, None)
            self._start_again(ended)
        self._children.remove(child)
        if code:
            raise StartRefused(child.last_words())

    def wait_for_first_page(self, page: FirstPage, web: Child) -> None:
        while not page.served():
            ended = self._turn(page)
            if web in ended:
                raise StartRefused(
                    f"The web process ended ({_how(ended[web])}) before it served a page:"
                    f" {web.last_words()}"
                )
            self._start_again(ended)
        self.is_serving()

    def is_serving(self) -> None:
        """Note that everything has started."""
        self._serving = True
        self._write_note()

    def keep_running(self) -> None:
        while True:
            self._start_again(self._turn())

    def stop(self) -> None:
        began = time.monotonic()
        signalled: list[Child] = []
        for name, seconds in ORDER_OF_STOP.items():
            for child in self._children:
                if child.name == name:
                    child.signal(signal.SIGTERM)
                    signalled.append(child)
            self._wait_for_end(signalled, began + seconds)
        for child in self._children:
            child.signal(signal.SIGKILL)
        self._wait_for_end(self._children, time.monotonic() + 1)
        self._note.unlink(missing_ok=True)

    def _wait_for_end(self, children: list[Child], deadline: float) -> None:
        """Wait for children to exit. A second Ctrl-C is ignored, as some shells and wrappers
        deliver the first one twice."""
        while any(child.ended() is None and child.pid for child in children):
            left = deadline - time.monotonic()
            if left <= 0:
                return
            self._signals.wait(left)

    def _turn(self, page: FirstPage | None = None) -> dict[Child, int]:
        """Wait for an event; return the children that ended, with their exit codes."""
        if self._signals.wait(self._pause(), *([page] if page else [])):
            raise StopRequested
        if self._owes_note:
            self._write_note()
        for child in self._children:
            keep_small(child.log)
            if child.end_if_it_hangs():
                say(f"{child.name} sent no heartbeat for too long; killed")
        codes = {child: child.ended() for child in self._children}
        return {child: code for child, code in codes.items() if code is not None}

    def _start_again(self, ended: dict[Child, int]) -> None:
        for child, code in ended.items():
            child.plan_restart()
            say(f"{child.name} exited ({_how(code)}); restarting it. Log: {child.log}")
        for child in self._children:
            if child.restart_at is not None and child.restart_at <= time.monotonic():
                self._try_to_start(child)

    def _try_to_start(self, child: Child) -> None:
        try:
            child.start()
        except OSError as error:  # disk full, or out of memory
            say(f"Cannot start {child.name} ({error.strerror}); retrying")
            child.plan_restart()
        self._write_note()

    def _pause(self) -> float:
        now = time.monotonic()
        due = [child.restart_at for child in self._children if child.restart_at is not None]
        return max(0.0, min([now + LOOKS_EVERY, *due]) - now)

    def _write_note(self) -> None:
        """Replace the note atomically, as it may be read any time. Retried if the disk is full."""
        pids = {child.name: child.pid for child in self._children if child.pid}
        state = {"pid": os.getpid(), "url": self._url, "serving": self._serving, "children": pids}
        draft = self._note.with_suffix(".draft")
        self._owes_note = True
        with suppress(OSError):
            draft.write_text(json.dumps(state))
            draft.replace(self._note)
            self._owes_note = False


def _how(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"code {code}"

"""One evaluation process, killed if it doesn't answer by its deadline.

Questions may be sent ahead: the next one is already in the pipe when the process finishes one.
"""

import fcntl
import os
import select
import subprocess
import sys
import time
from collections import deque
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import msgspec

import governance.evaluation.evaluator
from governance.evaluation.evaluator.messages import HEADER, MAX_MESSAGE, Ready, Reply, Request

MEMORY = 512 * 1024 * 1024
IDLE_SECONDS = 600.0
START_SECONDS = 30.0  # takes 0.2 on an idle machine

_CHUNK = 1024 * 1024
_PROGRAM = str(Path(governance.evaluation.evaluator.__file__).with_name("__main__.py"))
_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


_WIDE = 1024 * 1024  # bytes: the maximum for unprivileged processes


def _widen(pipe: int) -> None:
    """Enlarge a pipe, for callers that send far ahead and read the answers later. Only its contents
    use memory. If the pipe can't be enlarged, the rest waits on the sender's side."""
    if sys.platform == "linux":
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _WIDE)


class NoAnswer(Exception):
    """Timeout, exit or invalid answer; in every case the process is gone now."""


class Ended(NoAnswer):
    """The process ended by itself, or something else ended it."""


class Lost(NoAnswer):
    """The process ended because of an earlier question, so this one can be sent again."""


class PendingReply:
    """A question that was sent or is queued; answers arrive in the order of the questions."""

    def __init__(self, process: "Process", seconds: float) -> None:
        self._process = process
        self.seconds = seconds
        self.reply: Reply | None = None

    def answer(self) -> Reply:
        return self._process.answer_to(self)


class Process:
    def __init__(
        self,
        *,
        memory: int = MEMORY,
        idle_seconds: float = IDLE_SECONDS,
        cores: Collection[int] = (),
    ) -> None:
        self._idle_seconds = idle_seconds
        self._last_request_at = time.monotonic()
        self._unanswered: deque[PendingReply] = deque()
        self._unsent: deque[memoryview] = deque()
        self._child = subprocess.Popen(
            [sys.executable, "-I", _PROGRAM, str(memory), str(idle_seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={},
            cwd="/",
            start_new_session=True,
        )
        if self._child.stdin is None or self._child.stdout is None:
            raise NoAnswer("The evaluation process has no pipes.")
        if cores:
            os.sched_setaffinity(self._child.pid, cores)
        self._pipes = (self._child.stdin, self._child.stdout)
        self._to, self._from = (pipe.fileno() for pipe in self._pipes)
        for descriptor in (self._to, self._from):
            os.set_blocking(descriptor, False)
            _widen(descriptor)
        if not isinstance(self._receive(START_SECONDS), Ready):
            self.kill()
            raise NoAnswer("The evaluation process did not become ready.")

    @property
    def pid(self) -> int:
        return self._child.pid

    def is_alive(self) -> bool:
        # A process near its idle timeout could exit between this check and a question.
        return (
            self._child.poll() is None
            and time.monotonic() < self._last_request_at + 0.9 * self._idle_seconds
        )

    def ask(self, request: Request) -> PendingReply:
        """Send as much as fits into the pipe now; the rest is sent while waiting for an answer."""
        pending = PendingReply(self, request.seconds)
        if self._child.returncode is None:  # else answer() raises Lost
            body = _encoder.encode(request)
            self._unsent.append(memoryview(HEADER.pack(len(body)) + body))
            self._unanswered.append(pending)
            self._last_request_at = time.monotonic()
            self._send()
        return pending

    def push(self) -> None:
        """Send what the pipe had no room for."""
        self._send()

    def answer_to(self, pending: PendingReply) -> Reply:
        while pending.reply is None:
            if pending not in self._unanswered:
                raise Lost("The evaluation process ended. Try again.")
            first = self._unanswered[0]
            try:
                first.reply = self._receive(first.seconds)
            except NoAnswer as error:
                if first is pending:
                    raise
                raise Lost("The evaluation process ended. Try again.") from error
            self._unanswered.popleft()
        return pending.reply

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()
        self.let_go()

    def let_go(self) -> None:
        self._unanswered.clear()
        self._unsent.clear()
        for pipe in self._pipes:
            pipe.close()

    def _send(self) -> None:
        while self._unsent:
            rest = self._unsent[0]
            try:
                rest = rest[os.write(self._to, rest[:_CHUNK]) :]
            except BlockingIOError:
                return
            except OSError:
                self._unsent.clear()  # the process has ended: the next read reports it
                return
            if rest:
                self._unsent[0] = rest
            else:
                self._unsent.popleft()

    def _receive(self, seconds: float) -> Reply:
        deadline = time.monotonic() + seconds
        (length,) = HEADER.unpack(self._read(HEADER.size, deadline))
        if length > MAX_MESSAGE:
            self._give_up("The response is too long.")
        body = self._read(length, deadline)
        try:
            return _decoder.decode(body)
        except msgspec.DecodeError as error:
            self._give_up("Its answer cannot be read.", error)

    def _read(self, length: int, deadline: float) -> bytes:
        parts: list[bytes] = []
        while length:
            self._wait(deadline)
            try:
                part = os.read(self._from, min(length, _CHUNK))
            except BlockingIOError:
                continue
            if not part:
                self.kill()
                raise Ended("The evaluation process ended. Try again.")
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _wait(self, deadline: float) -> None:
        """Wait for data to read, and send queued questions in the meantime."""
        while True:
            poll = select.poll()  # select() fails for descriptors above 1,023
            poll.register(self._from, select.POLLIN)
            if self._unsent:
                poll.register(self._to, select.POLLOUT)
            ready = poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
            if not ready:
                self._give_up("It took too long.")
            if any(descriptor == self._from for descriptor, _ in ready):
                return
            self._send()

    def _give_up(self, why: str, error: Exception | None = None) -> NoReturn:
        self.kill()
        raise NoAnswer(why) from error

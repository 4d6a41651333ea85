"""One evaluation process: started, asked with a deadline, and killed when it does not answer."""

import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import msgspec

import governance.evaluator
from governance.evaluator.messages import HEADER, MAX_MESSAGE, Ready, Reply, Request

MEMORY = 512 * 1024 * 1024
IDLE_SECONDS = 600.0
START_SECONDS = 30.0  # 0.2 on a quiet machine

_CHUNK = 1024 * 1024
_PROGRAM = str(Path(governance.evaluator.__file__).with_name("__main__.py"))
_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


class NoAnswer(Exception):
    """Too late, dead, or talking nonsense: whatever it was, the process is gone now."""


class Process:
    _answered: float

    def __init__(self, *, memory: int = MEMORY, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
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
            raise NoAnswer("The pipes are missing.")
        self._pipes = (self._child.stdin, self._child.stdout)
        self._to, self._from = (pipe.fileno() for pipe in self._pipes)
        for descriptor in (self._to, self._from):
            os.set_blocking(descriptor, False)
        if not isinstance(self._receive(time.monotonic() + START_SECONDS), Ready):
            self.kill()
            raise NoAnswer("It did not say that it is ready.")

    @property
    def pid(self) -> int:
        return self._child.pid

    def is_alive(self) -> bool:
        # One that is about to end for idleness might do so between this and a question.
        return (
            self._child.poll() is None
            and time.monotonic() < self._answered + 0.9 * self._idle_seconds
        )

    def ask(self, request: Request) -> Reply:
        deadline = time.monotonic() + request.seconds
        body = _encoder.encode(request)
        self._send(HEADER.pack(len(body)) + body, deadline)
        return self._receive(deadline)

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()
        self.let_go()

    def let_go(self) -> None:
        for pipe in self._pipes:
            pipe.close()

    def _send(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(self._to, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(self._to, rest[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                self._give_up("It has ended.", error)

    def _receive(self, deadline: float) -> Reply:
        (length,) = HEADER.unpack(self._read(HEADER.size, deadline))
        if length > MAX_MESSAGE:
            self._give_up("Its answer is too long.")
        body = self._read(length, deadline)
        self._answered = time.monotonic()
        try:
            return _decoder.decode(body)
        except msgspec.DecodeError as error:
            self._give_up("Its answer cannot be read.", error)

    def _read(self, length: int, deadline: float) -> bytes:
        parts: list[bytes] = []
        while length:
            self._wait(self._from, select.POLLIN, deadline)
            try:
                part = os.read(self._from, min(length, _CHUNK))
            except BlockingIOError:
                continue
            if not part:
                self._give_up("It has ended.")
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        poll = select.poll()  # select() knows no descriptor above 1,023
        poll.register(descriptor, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            self._give_up("It took too long.")

    def _give_up(self, why: str, error: Exception | None = None) -> NoReturn:
        self.kill()
        raise NoAnswer(why) from error

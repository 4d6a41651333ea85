"""Sends the queue in the background, in batches and with retries, without blocking the agent."""

from __future__ import annotations

import atexit
import logging
import os
import random
import threading
import time
import weakref
from dataclasses import dataclass, replace

from edictum_site_client.outbox import MOST_PER_POST, Family, Outbox, Parcel
from edictum_site_client.transport import Answer, Transport

logger = logging.getLogger("edictum_site_client")

FIRST_PAUSE = 0.5  # seconds, doubling
LONGEST_PAUSE = 30.0
FULL = 100  # items that trigger a post without waiting for more


@dataclass(frozen=True)
class Delivery:
    """Delivery counts of everything recorded by this client."""

    waiting: int = 0
    sent: int = 0
    rejected: int = 0  # individually, by the console
    lost: int = 0  # the buffer was full, the console rejected a whole post, or time ran out
    last_error: str = ""


class Sender:
    def __init__(
        self,
        transport: Transport,
        *,
        interval: float,
        at_exit: float,
        most: int,
        most_bytes: int,
    ) -> None:
        self.at_exit = at_exit
        self._transport = transport
        self._interval = interval
        self._limits = (most, most_bytes)
        self.begin()
        _SENDERS.add(self)

    def begin(self) -> None:
        """Reset to an empty queue. A forked child does so too: the old queue is its parent's."""
        self._changed = threading.Condition()
        self._outbox = Outbox(*self._limits)
        self._in_hand: list[Parcel] = []
        self._delivery = Delivery()
        self._ignored: set[str] = set()
        self._thread: threading.Thread | None = None
        self._per_post = MOST_PER_POST
        self._tries = 0
        self._hurry = self._closed = self._given_up = False

    def forked(self) -> None:
        self._transport.close()  # closes this process's descriptor; the parent's stays open
        self.begin()

    def put(self, family: Family, body: bytes, media_type: str = "application/json") -> None:
        with self._changed:
            if self._closed:
                self._count(lost=1)
                return
            self._outbox.put(family, body, media_type)
            self._run()
            if len(self._outbox) in (1, FULL):
                self._changed.notify_all()

    @property
    def delivery(self) -> Delivery:
        with self._changed:
            waiting = len(self._outbox) + len(self._in_hand)
            return replace(
                self._delivery, waiting=waiting, lost=self._delivery.lost + self._outbox.lost
            )

    def flush(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds; True if everything recorded before was sent or dropped."""
        deadline = time.monotonic() + timeout
        with self._changed:
            upto = self._outbox.last_number
            self._hurry = self._waits(upto)
            while self._waits(upto):
                if time.monotonic() >= deadline:
                    return False
                self._run()
                self._changed.notify_all()
                if self._thread is None:
                    self._work_here(deadline)
                else:
                    self._changed.wait(max(0.0, deadline - time.monotonic()))
            return True

    def close(self, timeout: float) -> bool:
        """Stop accepting items, send the queue, and drop the rest after the timeout."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        deadline = time.monotonic() + timeout
        done = self.flush(timeout)
        with self._changed:
            self._given_up = True
            self._count(lost=len(self._outbox.take_all()))
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(max(0.0, deadline - time.monotonic()))
        return done

    def _waits(self, upto: int) -> bool:
        oldest = self._outbox.oldest_number()
        in_hand = any(parcel.number <= upto for parcel in self._in_hand)
        return in_hand or (oldest is not None and oldest <= upto)

    def _run(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(
                target=self._send, name="edictum-site-client", daemon=True
            )
            try:
                self._thread.start()
            except RuntimeError:  # no more threads, or the interpreter is ending
                self._thread = None

    def _work_here(self, deadline: float) -> None:
        """Send one batch in this thread."""
        self._changed.release()
        try:
            self._step(deadline)
        finally:
            self._changed.acquire()

    def _send(self) -> None:
        while self._step():
            pass

    def _step(self, deadline: float | None = None) -> bool:
        """Wait for work and send at most one batch; False if there is nothing left to do."""
        with self._changed:
            if not self._await_work(deadline):
                self._transport.close()
                self._thread = None
                return False
            self._hurry = False
            self._in_hand = self._outbox.take(self._per_post)
        answer = self._post(self._in_hand)
        with self._changed:
            new = answer.why not in ("", self._delivery.last_error)
            ignored = [field for field in answer.ignored if field not in self._ignored]
            self._ignored.update(ignored)
            self._settle(answer)
            self._changed.notify_all()
        if new:  # log each reason once, or an outage would fill the agent's log
            logger.warning("Edictum Site: %s", answer.why)
        for field in ignored:
            logger.warning("Edictum Site: the console ignored the unknown field %r.", field)
        return True

    def _await_work(self, deadline: float | None) -> bool:
        """Wait until a batch is due; False if closed, timed out or idle for too long."""
        began = time.monotonic()
        until = began + LONGEST_PAUSE if deadline is None else deadline
        while not len(self._outbox):
            left = until - time.monotonic()
            if self._closed or left <= 0:
                return False
            self._changed.wait(left)
            began = time.monotonic()
        pause = self._pause()
        while not self._hurry and (left := began + pause - time.monotonic()) > 0:
            if self._given_up or (deadline is not None and time.monotonic() >= deadline):
                return False
            if self._tries == 0 and (self._closed or len(self._outbox) >= FULL):
                break
            self._changed.wait(left if deadline is None else min(left, 0.05))
        return len(self._outbox) > 0

    def _pause(self) -> float:
        if self._tries == 0:
            return self._interval
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(self._tries - 1, 16))
        return longest * random.uniform(0.75, 1.0)  # noqa: S311 - to spread agents, not to hide

    def _post(self, parcels: list[Parcel]) -> Answer:
        try:
            if parcels[0].family == "artifacts":
                return self._transport.upload(parcels[0].body, parcels[0].media_type)
            return self._transport.post(parcels[0].family, [parcel.body for parcel in parcels])
        except Exception as error:  # noqa: BLE001 - the thread outlives whatever this was
            self._transport.close()
            return Answer("later", f"{type(error).__name__}: {error}")

    def _settle(self, answer: Answer) -> None:
        parcels, self._in_hand = self._in_hand, []
        if answer.why:
            self._delivery = replace(self._delivery, last_error=answer.why)
        match answer.verdict:
            case "taken":
                self._tries = 0
                self._per_post = min(MOST_PER_POST, self._per_post * 2)
                self._count(sent=len(parcels) - answer.rejected, rejected=answer.rejected)
            case "smaller" if len(parcels) > 1:
                self._per_post = len(parcels) // 2
                self._hurry = True
                self._outbox.put_back(parcels)
            case "smaller" | "refused":
                self._count(lost=len(parcels))
            case "later" if self._given_up:
                self._count(lost=len(parcels))
            case "later":
                self._tries += 1
                self._outbox.put_back(parcels)

    def _count(self, *, sent: int = 0, rejected: int = 0, lost: int = 0) -> None:
        delivery = self._delivery
        self._delivery = replace(
            delivery,
            sent=delivery.sent + sent,
            rejected=delivery.rejected + rejected,
            lost=delivery.lost + lost,
        )


_SENDERS: weakref.WeakSet[Sender] = weakref.WeakSet()


def _at_exit() -> None:
    for sender in list(_SENDERS):
        sender.close(sender.at_exit)


def _in_the_child() -> None:
    for sender in list(_SENDERS):
        sender.forked()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_the_child)

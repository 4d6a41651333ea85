"""Simulation of the inbox under bursts: a fluid model in small steps, with one queue per shard.

Posts rejected by a full inbox are retried after the pause that the console requests, and are lost
once the agents' buffers are full. There is no clock and no randomness, so results are reproducible.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

STEP: Final = 0.1  # seconds
RETRY_AFTER: Final = 10.0  # seconds, from the response to a rejected post
Rate = Callable[[float], float]  # outcomes per second, by time in seconds


@dataclass(frozen=True, slots=True)
class Fleet:
    """Capacity of an installation, in outcomes per second."""

    door: float  # acknowledged by all web processes
    settle: float  # by the workers of one shard
    shards: int = 1
    inbox: float = 5_000_000  # capacity of a shard's inbox, in outcomes
    buffers: float = 1_000_000  # outcomes that all agents together can buffer


@dataclass(frozen=True, slots=True)
class Burst:
    """A steady rate, with a multiple of it for some seconds."""

    base: float
    times: float
    begins: float = 60.0
    lasts: float = 60.0

    def __call__(self, at: float) -> float:
        is_on = self.begins <= at < self.begins + self.lasts
        return self.base * (self.times if is_on else 1.0)


@dataclass(frozen=True, slots=True)
class Result:
    longest_lag: float  # seconds from acknowledged to settled
    largest_backlog: float  # outcomes in the inbox of one shard
    refused: float  # outcomes that got a *try again* response, at least once
    lost: float  # of the refused ones, those that didn't fit into the agents' buffers
    settled: float
    drained_at: float | None  # seconds after which nothing waits longer than a step; None: never


@dataclass(slots=True)
class _Shard:
    """FIFO queue of amounts with the time of acknowledgment.

    Shards with the same share of the traffic behave the same, so one represents all of them.
    """

    part: float  # share of the traffic
    count: int  # shards that it represents
    waiting: deque[tuple[float, float]] = field(default_factory=deque)
    backlog: float = 0.0
    settled: float = 0.0

    def accept(self, at: float, amount: float) -> None:
        if amount > 0:
            self.waiting.append((at, amount))
            self.backlog += amount

    def settle(self, amount: float) -> None:
        while self.waiting and amount > 0:
            at, first = self.waiting[0]
            done = min(first, amount)
            amount -= done
            self.backlog -= done
            self.settled += done
            if done < first:
                self.waiting[0] = (at, first - done)
            else:
                self.waiting.popleft()

    def lag(self, now: float) -> float:
        return now - self.waiting[0][0] if self.waiting else 0.0


def simulate(
    fleet: Fleet, rate: Rate, *, seconds: float, shares: Sequence[float] = (), bulk: float = 0.0
) -> Result:
    """Simulate the queues of a fleet.

    `shares` is each shard's share of the traffic, equal by default. `bulk` is the fraction of each
    shard's capacity that jobs use.
    """
    parts = list(shares) or [1 / fleet.shards] * fleet.shards
    if len(parts) != fleet.shards:
        raise ValueError(f"{len(parts)} shares for {fleet.shards} shards")
    shards = [_Shard(part, count) for part, count in Counter(parts).items()]
    run = _Run(fleet, shards, fleet.settle * (1 - bulk))
    for number in range(int(seconds / STEP)):
        run.step(number * STEP, rate)
    return run.result()


@dataclass(slots=True)
class _Run:
    fleet: Fleet
    shards: list[_Shard]
    per_shard: float
    retries: deque[tuple[float, float]] = field(default_factory=deque)
    held_back: float = 0.0
    refused: float = 0.0
    lost: float = 0.0
    longest_lag: float = 0.0
    largest_backlog: float = 0.0
    drained_at: float | None = None

    def step(self, now: float, rate: Rate) -> None:
        arriving = rate(now) * STEP + self._due(now)
        at_door = min(arriving, self.fleet.door * STEP)
        self._refuse(now, arriving - at_door)
        for shard in self.shards:
            arrived = at_door * shard.part
            accepted = min(arrived, max(0.0, self.fleet.inbox - shard.backlog))
            self._refuse(now, (arrived - accepted) * shard.count)
            shard.accept(now, accepted)
            self.largest_backlog = max(self.largest_backlog, shard.backlog)
            shard.settle(self.per_shard * STEP)
            self.longest_lag = max(self.longest_lag, shard.lag(now + STEP))
        self._note_drained(now)

    def result(self) -> Result:
        settled = sum(shard.settled * shard.count for shard in self.shards)
        return Result(
            longest_lag=self.longest_lag,
            largest_backlog=self.largest_backlog,
            refused=self.refused,
            lost=self.lost,
            settled=settled,
            drained_at=self.drained_at,
        )

    def _due(self, now: float) -> float:
        amount = 0.0
        while self.retries and self.retries[0][0] <= now:
            amount += self.retries.popleft()[1]
        self.held_back -= amount
        return amount

    def _refuse(self, now: float, amount: float) -> None:
        if amount <= 1e-9:
            return
        self.refused += amount
        fits = min(amount, max(0.0, self.fleet.buffers - self.held_back))
        self.lost += amount - fits
        self.held_back += fits
        self.retries.append((now + RETRY_AFTER, fits))

    def _note_drained(self, now: float) -> None:
        waits = self.held_back > 1e-6 or any(shard.backlog > 1e-6 for shard in self.shards)
        if waits:
            self.drained_at = None
        elif self.drained_at is None:
            self.drained_at = now

"""Memory of the product's processes during a soak, compared between its halves."""

import threading
from collections import defaultdict
from contextlib import suppress

from bench.memory import pss
from tests.kill.victims import Victim

EVERY = 2.0  # seconds
GROWTH, SLACK = 1.25, 40.0  # allowed ratio to the first half, plus MB
ENOUGH = 300  # samples, because a restarted process takes minutes to load all that it uses


class Memory(threading.Thread):
    def __init__(self, victim: Victim) -> None:
        super().__init__(daemon=True)
        self._victim = victim
        self._over = threading.Event()
        self.samples: dict[str, list[float]] = defaultdict(list)

    def run(self) -> None:
        while not self._over.wait(EVERY):
            with suppress(OSError, ValueError, KeyError):
                for name, number in self._victim.product.children.items():
                    self.samples[name].append(pss(number))

    def stop(self) -> None:
        self._over.set()
        self.join(10)

    def halves(self) -> dict[str, tuple[float, float]]:
        """Peak PSS in MB by process, in the first and in the second half."""
        return {
            name: (max(values[: len(values) // 2]), max(values[len(values) // 2 :]))
            for name, values in sorted(self.samples.items())
            if len(values) > 1
        }

    def growing(self) -> list[str]:
        return [
            f"{name} grew from {first:.0f} to {second:.0f} MB"
            for name, (first, second) in self.halves().items()
            if len(self.samples[name]) >= ENOUGH and second > first * GROWTH + SLACK
        ]

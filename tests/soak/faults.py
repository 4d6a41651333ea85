"""Faults of a soak, in seeded random order; each lasts a few seconds."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.buckets import Line
from tests.edictum_site.backup.installation import PROGRAMS
from tests.kill.victims import ALL, Victim

LASTS = 4.0  # seconds
BALLAST = "ballast"


class Faults:
    """Faults that can be injected on this machine; `left_out` lists the others."""

    def __init__(
        self, victim: Victim, *, store: Line, server: Path | None, is_small: bool, seed: int
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.left_out: list[str] = []
        self._victim = victim
        self._store = store
        self._server = server
        self._chance = random.Random(seed)  # noqa: S311 - repeatable on purpose
        self._kinds: dict[str, Callable[[], None]] = {
            **{f"{name} killed": self._killing(name) for name in ALL},
            "Redis silent": self._silence_redis,
            "object store away": lambda: self._disturb_store("cut"),
            "object store slow": lambda: self._disturb_store("slow"),
        }
        if is_small:
            self._kinds["disk full"] = self._fill_disk
        else:
            self.left_out.append("disk full: no right to mount a small disk")
        if server:
            self._kinds["PostgreSQL restarted"] = self._restart_server

    def some(self) -> Iterator[str]:
        """Endless names of faults, in rounds that contain each kind once in random order."""
        while True:
            names = sorted(self._kinds)
            self._chance.shuffle(names)
            yield from names

    def make(self, name: str) -> None:
        self._kinds[name]()
        self.counts[name] += 1

    @property
    def are_all_made(self) -> bool:
        return self.counts.keys() == self._kinds.keys()

    def _killing(self, name: str) -> Callable[[], None]:
        return lambda: self._victim.kill(name)

    def _silence_redis(self) -> None:
        number = self._victim.product.children.get("redis", 0)
        with suppress(ProcessLookupError):
            if number:
                os.kill(number, signal.SIGSTOP)
                time.sleep(LASTS)
                os.kill(number, signal.SIGCONT)

    def _disturb_store(self, mode: str) -> None:
        self._store.mode = mode
        time.sleep(LASTS)
        self._store.mode = "open"

    def _fill_disk(self) -> None:
        ballast = self._victim.data / BALLAST
        try:
            with ballast.open("wb") as file:
                free = os.statvfs(self._victim.data)
                with suppress(OSError):
                    os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize)
            time.sleep(LASTS)
        finally:
            ballast.unlink(missing_ok=True)

    def _restart_server(self) -> None:
        """Restart PostgreSQL as after a crash, so that it recovers from its WAL."""
        if self._server:
            pg_ctl(self._server, "-m", "immediate", "restart")


def pg_ctl(folder: Path, *arguments: str) -> None:
    """Run pg_ctl as the server's user, since the library that started it can't stop it any more
    after a restart."""
    with open(os.devnull, "wb") as nowhere:
        subprocess.run(
            [str(PROGRAMS / "pg_ctl"), "-w", "-D", str(folder), *arguments],
            user=folder.stat().st_uid, check=True, cwd="/",
            stdin=subprocess.DEVNULL, stdout=nowhere, stderr=nowhere,
        )  # fmt: skip


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[bool]:
    """Mount a disk of this size at the folder; yields False if this user may not mount one."""
    folder.mkdir(mode=0o700)
    options = f"size={megabytes}m,mode=700"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "edictum-soak", str(folder)],
        check=False, capture_output=True,
    )  # fmt: skip
    try:
        yield mounted.returncode == 0
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "--lazy", str(folder)], check=False)

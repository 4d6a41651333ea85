"""Runs the product under load, started as users start it, with default settings."""

import http.client
import json
import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.stores import Rows, Store
from edictum_site.stack.running import Product, product

EMAIL = "admin@example.test"  # user that opens pages
_WAITING = "SELECT 1 FROM outcomes_batch WHERE set_aside_at IS NULL LIMIT 1"


_SET_ASIDE = "SELECT count(*), min(error) FROM outcomes_batch WHERE set_aside_at IS NOT NULL"


class NotSettled(Exception):
    """The inbox was not empty in time, or a batch failed to settle."""


@dataclass(frozen=True, slots=True)
class Site:
    store: Store
    running: Product
    secret: str  # part of the API key, and the password

    @property
    def key(self) -> str:
        return f"edk_production_{self.secret}"

    @property
    def address(self) -> tuple[str, int]:
        parts = urlsplit(self.running.url)
        return parts.hostname or "127.0.0.1", parts.port or 80

    @property
    def processes(self) -> dict[str, int]:
        """Measured processes by name, including the database server if the bench started it."""
        server = {"database": self.store.server} if self.store.server else {}
        return {**self.running.children, "supervisor": self.running.process.pid, **server}

    def ask(self, method: str, path: str, body: object) -> tuple[int, str]:
        connection = http.client.HTTPConnection(*self.address, timeout=30)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body), headers=headers)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    @contextmanager
    def worker_stopped(self) -> Iterator[None]:
        """Stop the worker with SIGSTOP while it holds no write lock, and continue it afterwards.

        Even with an empty inbox it may be rolling up, and would then keep its lock all that time.
        """
        worker = self.running.children["worker"]
        with self.store.nobody_writing():
            os.kill(worker, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(worker, signal.SIGCONT)

    def wait_until_settled(self, seconds: float) -> float:
        """Wait for an empty inbox; return when it was, on the monotonic clock, to a few ms."""
        connection = self.store.connect()
        began = looked = time.monotonic()
        try:
            while connection.execute(_WAITING).fetchall():
                now = time.monotonic()
                if now > looked + 1:
                    looked = now
                    self._refuse_set_aside(connection)
                if now > began + seconds:
                    raise NotSettled(f"Items still waited after {seconds:.0f} seconds.")
                time.sleep(0.005)
            ended = time.monotonic()
            self._refuse_set_aside(connection)
            return ended
        finally:
            connection.close()

    def _refuse_set_aside(self, connection: Rows) -> None:
        batches, error = connection.execute(_SET_ASIDE).fetchone()
        if batches:
            raise NotSettled(f"{batches} batches could not be settled: {error}")


@contextmanager
def site(store: Store, secret: str = "") -> Iterator[Site]:
    """Start the product. For a store that was filled before, pass the secret used then."""
    secret = secret or secrets.token_hex(20)
    variables = {
        **store.variables,
        "EDICTUM_SITE_BOOTSTRAP_KEY": f"edk_production_{secret}",
        "EDICTUM_SITE_ADMIN_EMAIL": EMAIL,
        "EDICTUM_SITE_ADMIN_PASSWORD": secret,
    }
    with product(store.data, variables) as running:
        yield Site(store, running, secret)

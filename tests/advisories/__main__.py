"""`make audit`: what the lock files name, held against known vulnerabilities.

Without a network `pip-audit` asks a server on loopback that answers from `advisories.json`, in the
form of the OSV database; with `--online` it asks that database itself.
"""

import argparse
import subprocess
import sys

from tests.advisories.database import database

LOCKED = ("requirements.txt", "requirements-dev.txt")


def audit(*files: str, address: str | None) -> int:
    """Run pip-audit, which prints its findings; return 1 if a version is vulnerable."""
    pinned = [word for file in files for word in ("--requirement", file)]
    service = ["--vulnerability-service", "osv", *(["--osv-url", address] if address else [])]
    options = ["--no-deps", "--disable-pip", "--progress-spinner", "off"]
    command = [sys.executable, "-m", "pip_audit", *options, *service, *pinned]
    return subprocess.run(command, check=False, timeout=600).returncode


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.advisories", description=__doc__)
    options.add_argument("--online", action="store_true", help="ask the OSV database")
    if options.parse_args().online:
        return audit(*LOCKED, address=None)
    with database() as address:
        return audit(*LOCKED, address=address)


if __name__ == "__main__":
    raise SystemExit(main())

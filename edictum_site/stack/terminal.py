"""Lines printed at startup; all other output goes to the logs."""

import sys
from contextlib import suppress
from typing import TextIO


def say(line: str) -> None:
    _write(sys.stdout, line)


def complain(line: str) -> None:
    _write(sys.stderr, line)


def _write(where: TextIO, line: str) -> None:
    with suppress(OSError):  # the terminal may have been closed
        where.write(f"{line}\n")
        where.flush()

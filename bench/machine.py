"""Describes the machine of a measurement: commit, versions, cores, and durability of commits."""

import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.stores import Store

ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = ("django", "django-ninja", "celery", "uvicorn", "msgspec", "psycopg", "redis")


def commit() -> dict[str, Any]:
    return {
        "commit": _git("rev-parse", "HEAD"),
        "changed_since": len(_git("status", "--porcelain").splitlines()),
    }


def machine(folder: Path) -> dict[str, Any]:
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": _cpu_model(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "fsync_ms": round(_fsync_ms(folder), 3),
    }


def durability(store: Store) -> dict[str, str]:
    """Durability settings of the running database, read by the product's own connection."""
    answer = subprocess.run(
        [sys.executable, "-m", "bench.durability"],
        cwd=ROOT,
        env=os.environ | store.variables_of_a_process,
        check=True,
        capture_output=True,
        text=True,
    )
    settings: dict[str, str] = json.loads(answer.stdout)
    return settings


def _fsync_ms(folder: Path) -> float:
    """Median time of an fsync. Far below 0.05 ms, the disk doesn't really persist the data."""
    took = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(50):
            file.write(os.urandom(4096))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    return statistics.median(took) * 1000


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],  # noqa: S607 - whichever git the developer uses
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()

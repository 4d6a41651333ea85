"""`python -m tests.soak`: half an hour of load and faults on one database; prints a ledger."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.databases import own_database
from tests.soak.faults import pg_ctl
from tests.soak.soak import Plan, soak
from tests.stores import postgres

INSIDE = "EDICTUM_SITE_SOAK"  # set when running in a separate mount namespace


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    options.add_argument("--postgres", action="store_true", help="not on SQLite")
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--items", type=float, default=300, help="a second")
    options.add_argument("--every", type=float, default=20, help="seconds between two faults")
    options.add_argument("--streams", type=int, default=200)
    options.add_argument("--old", type=int, default=20_000, help="calls that retention removes")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    if not os.environ.get(INSIDE) and may_unshare():
        # The kernel unmounts the small disk when these processes end, even if they crash.
        again = ["unshare", "--mount", sys.executable, "-m", "tests.soak", *sys.argv[1:]]
        return subprocess.run(again, env=os.environ | {INSIDE: "1"}).returncode
    os.environ.pop(INSIDE, None)
    plan = Plan(
        60 * chosen.minutes, chosen.items, chosen.every, streams=chosen.streams,
        old_calls=chosen.old, megabytes=400 + int(120 * chosen.minutes), seed=chosen.seed,
    )  # fmt: skip
    return _soaked(plan, is_on_server=chosen.postgres)


def _soaked(plan: Plan, *, is_on_server: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="edictum-soak-") as name:
        folder = Path(name)
        server = postgres(folder) if is_on_server else ""
        try:
            with own_database(server) as variables:
                ledger = soak(folder, variables, plan, folder / "postgres" if server else None)
        finally:
            if server:
                pg_ctl(folder / "postgres", "stop")
    sys.stdout.write(ledger.text("PostgreSQL" if is_on_server else "SQLite"))
    return int(bool(ledger.all_problems))


def may_unshare() -> bool:
    if (program := shutil.which("unshare")) is None:
        return False
    return not subprocess.run([program, "--mount", "true"], capture_output=True).returncode


if __name__ == "__main__":
    sys.exit(main())

"""`python -m bench.removing`: how fast retention removes calls, and what it costs.

A store is filled, then the console's clock is put forward by more days than calls are kept.
"""

import argparse
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from unittest.mock import patch

from bench.filled import BATCH, fill
from bench.processes import cpu_seconds
from bench.stores import store

DAYS: Final = 401  # calls are kept for 400


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.removing", description=__doc__)
    options.add_argument("--store", choices=["sqlite", "postgres"], default="postgres")
    options.add_argument("--calls", type=int, default=20 * BATCH)
    options.add_argument("--no-search", action="store_true", help="without the search index")
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="edictum-removing-") as folder,
        store(chosen.store, Path(folder)) as where,
    ):
        fill(where, chosen.calls, search=not chosen.no_search)
        where.tidy()
        return _remove(chosen.calls)


def _remove(calls: int) -> int:
    from django.db import connection  # noqa: PLC0415 - after Django has been set up

    from governance.core.actor import CONSOLE  # noqa: PLC0415
    from governance.models import Project  # noqa: PLC0415
    from outcomes.models import Call  # noqa: PLC0415
    from outcomes.retention.commands.runs import run_retention, start_run  # noqa: PLC0415

    is_server = connection.vendor == "postgresql"
    backend = connection.connection.info.backend_pid if is_server else None
    later = lambda: datetime.now(UTC) + timedelta(days=DAYS)  # noqa: E731 - one use
    with patch("django.utils.timezone.now", later):
        run = start_run(Project.objects.get(), by=CONSOLE)
        began, ours, servers = time.monotonic(), time.process_time(), _seconds(backend)
        while not run_retention(run.pk):
            pass
        took, ours = time.monotonic() - began, time.process_time() - ours
        servers = _seconds(backend) - servers
    left = Call.objects.count()
    print(
        f"{calls - left:,} of {calls:,} calls removed, {calls / took:,.0f}/s;"
        f" processor time per 1,000 calls: {ours / calls * 1e3:.3f} s,"
        f" of the database's own process {servers / calls * 1e3:.3f} s"
    )
    return int(left > 0)


def _seconds(process: int | None) -> float:
    return 0.0 if process is None else cpu_seconds(process)


if __name__ == "__main__":
    raise SystemExit(main())

"""`python -m tests.kill`: the long drill on one database; fails when one count is not exact."""

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.databases import own_database
from tests.kill.drill import Report, drill
from tests.kill.jobs import Report as JobsReport
from tests.kill.jobs import drill_jobs
from tests.stores import postgres


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    options.add_argument("--postgres", action="store_true", help="not on SQLite")
    options.add_argument("--items", type=int, default=50_000)
    options.add_argument("--kills", type=int, default=20, help="of each process")
    options.add_argument("--kills-of-jobs", type=int, default=2, help="of each worker of jobs")
    options.add_argument("--seed", type=int, default=2)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="edictum-kill-") as name:
        folder = Path(name)
        server = postgres(folder) if chosen.postgres else ""
        with own_database(server) as variables:
            report = drill(
                folder / "data",
                variables,
                items=chosen.items,
                kills=chosen.kills,
                seed=chosen.seed,
            )
            store = "PostgreSQL" if chosen.postgres else "SQLite"
            sys.stdout.write(text_of(report, store))
        with own_database(server) as variables:
            jobs = drill_jobs(
                folder / "jobs",
                variables,
                items=chosen.items,
                kills=chosen.kills_of_jobs,
                seed=chosen.seed,
            )
            sys.stdout.write(text_of_jobs(jobs, store))
    return 1 if report.problems or jobs.problems else 0


def text_of(report: Report, store: str) -> str:
    answer = report.acknowledged
    lines = [
        f"{store}, {report.seconds:.0f} s. Killed: {_counted(report.kills)}.",
        f"Acknowledged: {answer.posts} posts, {len(answer.calls)} calls;"
        f" {answer.repeats} bodies were sent again.",
        f"Stored: {report.stored['events']} events, {report.stored['calls']} calls,"
        f" {report.stored['sessions']} sessions; {report.stored['waiting']} batches wait.",
        *report.problems[:50],
        "Not exact." if report.problems else "Every acknowledged id is there, every count exact.",
    ]
    return "\n".join(lines) + "\n"


def text_of_jobs(report: JobsReport, store: str) -> str:
    lines = [
        f"Jobs on {store}, {report.seconds:.0f} s. Killed: {_counted(report.kills)}.",
        *(f"{path}: {ended}" for path, ended in report.ended.items()),
        *report.problems[:50],
        "Not exact." if report.problems else "Every job ended, every count exact.",
    ]
    return "\n".join(lines) + "\n"


def _counted(kills: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {times}" for name, times in sorted(kills.items()))


if __name__ == "__main__":
    sys.exit(main())

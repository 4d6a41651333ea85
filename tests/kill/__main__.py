"""`python -m tests.kill`: the long drill on one database; fails when one count is not exact."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.databases import own_database
from tests.kill.drill import Report, drill
from tests.stores import postgres


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    options.add_argument("--postgres", action="store_true", help="not on SQLite")
    options.add_argument("--items", type=int, default=50_000)
    options.add_argument("--kills", type=int, default=20, help="of each process")
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
    sys.stdout.write(text_of(report, "PostgreSQL" if chosen.postgres else "SQLite"))
    return 1 if report.problems else 0


def text_of(report: Report, store: str) -> str:
    killed = ", ".join(f"{name} {times}" for name, times in sorted(report.kills.items()))
    answer = report.acknowledged
    lines = [
        f"{store}, {report.seconds:.0f} s. Killed: {killed}.",
        f"Acknowledged: {answer.posts} posts, {len(answer.calls)} calls;"
        f" {answer.repeats} bodies were sent again.",
        f"Stored: {report.stored['events']} events, {report.stored['calls']} calls,"
        f" {report.stored['sessions']} sessions; {report.stored['waiting']} batches wait.",
        *report.problems[:50],
        "Not exact." if report.problems else "Every acknowledged id is there, every count exact.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
